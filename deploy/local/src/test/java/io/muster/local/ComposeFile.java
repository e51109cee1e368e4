package io.muster.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** {@code deploy/compose/docker-compose.yml} as Compose reads it without a {@code .env}: merged, variables at their defaults. */
record ComposeFile(Map<String, Object> content) {

    static final Path FOLDER = Path.of("../compose");

    private static final Pattern VARIABLE = Pattern.compile("\\$\\{[A-Z_]+:-([^}]*)}");

    /** A secret that a container gets: which, and as which file. */
    record Mounted(String secret, String file) {}

    static ComposeFile read() throws IOException {
        return parse(Files.readString(FOLDER.resolve("docker-compose.yml")));
    }

    static ComposeFile parse(String yaml) {
        String text = VARIABLE.matcher(yaml).replaceAll("$1");
        return new ComposeFile(map(new Yaml(new SafeConstructor(new LoaderOptions())).load(text)));
    }

    Map<String, Object> services() {
        return map(content.get("services"));
    }

    Map<String, Object> service(String name) {
        Map<String, Object> service = map(services().get(name));
        if (service.isEmpty()) {
            throw new AssertionError("docker-compose.yml has no service " + name + ", only "
                    + services().keySet());
        }
        return service;
    }

    Map<String, String> environment(String service) {
        Map<String, String> environment = new TreeMap<>();
        map(service(service).get("environment")).forEach((name, value) -> environment.put(name, (String) value));
        return environment;
    }

    List<String> command(String service) {
        return list(service(service).get("command"));
    }

    List<String> networks(String service) {
        return list(service(service).get("networks"));
    }

    List<Mounted> secrets(String service) {
        List<Mounted> mounted = new ArrayList<>();
        for (Object secret : objects(service(service).get("secrets"))) {
            if (secret instanceof String name) {
                mounted.add(new Mounted(name, "/run/secrets/" + name));
            } else {
                Map<String, Object> placed = map(secret);
                mounted.add(new Mounted((String) placed.get("source"), (String) placed.get("target")));
            }
        }
        return mounted;
    }

    /** Those that go on running; the others do one thing and end. */
    List<String> longRunning() {
        return services().keySet().stream()
                .filter(name -> !name.equals("secrets") && !name.equals("prepare"))
                .toList();
    }

    List<String> nodes() {
        return services().keySet().stream()
                .filter(name -> environment(name).containsKey("MUSTER_NODE"))
                .toList();
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> map(Object value) {
        return value == null ? Map.of() : new LinkedHashMap<>((Map<String, Object>) value);
    }

    static List<String> list(Object value) {
        return objects(value).stream().map(String.class::cast).toList();
    }

    private static List<Object> objects(Object value) {
        return value == null ? List.of() : List.copyOf((List<?>) value);
    }
}
