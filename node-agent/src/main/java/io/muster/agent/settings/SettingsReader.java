package io.muster.agent.settings;

import io.muster.agent.settings.AgentSettings.Driver;
import io.muster.agent.settings.AgentSettings.GpuChoice;
import io.muster.contract.id.NodeId;
import io.muster.contract.node.NodeDomains;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads the settings from environment variables; says everything that is wrong at once and starts nothing then. */
public final class SettingsReader {

    /** Either usable settings or every reason why not. */
    public sealed interface Reading {

        record Usable(AgentSettings settings) implements Reading {}

        record Unusable(List<String> problems) implements Reading {}
    }

    private static final List<String> DOMAIN_LEVELS = List.of("rack", "power", "pod", "cluster");

    private final Map<String, String> env;
    private final List<String> problems = new ArrayList<>();

    private SettingsReader(Map<String, String> env) {
        this.env = env;
    }

    public static Reading read(Map<String, String> env) {
        return new SettingsReader(env).read();
    }

    private Reading read() {
        NodeId node = node();
        Path home = path("MUSTER_AGENT_HOME");
        String address = text("MUSTER_AGENT_ADDRESS");
        int port = (int) number("MUSTER_AGENT_PORT", 7070, 1, 65535);
        URI health = uri("MUSTER_HEALTH_URL");
        URI job = uri("MUSTER_JOB_URL");
        URI checkpoint = uri("MUSTER_CHECKPOINT_URL");
        Path store = path("MUSTER_STORE_ROOT");
        NodeDomains domains = domains();
        GpuChoice gpus = new GpuChoice(
                driver(),
                (int) number("MUSTER_SIMULATED_GPUS", 8, 0, 64),
                optional("MUSTER_SIMULATED_GPU_MODEL").orElse("H100-SIM"),
                optional("MUSTER_SIMULATED_DRIVER_VERSION").orElse("550.54.15"));
        Optional<Integer> uid =
                optional("MUSTER_RANK_UID").map(given -> (int) number("MUSTER_RANK_UID", -1, 1, Integer.MAX_VALUE));
        int nice = (int) number("MUSTER_RANK_NICE", 10, 0, 19);
        long maxShard = number("MUSTER_MAX_SHARD_BYTES", 64L << 30, 1, Long.MAX_VALUE);
        Optional<Long> memoryBytes =
                optional("MUSTER_MEMORY_BYTES").map(given -> number("MUSTER_MEMORY_BYTES", 1, 1, Long.MAX_VALUE));
        if (node == null || home == null || address == null || health == null || job == null) {
            return new Reading.Unusable(List.copyOf(problems));
        }
        if (checkpoint == null || store == null || domains == null || !problems.isEmpty()) {
            return new Reading.Unusable(List.copyOf(problems));
        }
        return new Reading.Usable(new AgentSettings(
                node,
                home.toAbsolutePath().normalize(),
                address,
                port,
                optional("MUSTER_JOIN_TOKEN_FILE").map(Path::of),
                health,
                job,
                checkpoint,
                store.toAbsolutePath().normalize(),
                domains,
                gpus,
                optional("MUSTER_CLIENT_PYTHONPATH"),
                uid,
                nice,
                maxShard,
                optional("MUSTER_MEMORY_FOLDER")
                        .map(given -> Path.of(given).toAbsolutePath().normalize()),
                memoryBytes,
                optional("MUSTER_EXPECTED_AGENT_VERSION")));
    }

    private Optional<String> optional(String name) {
        return Optional.ofNullable(env.get(name)).map(String::strip).filter(value -> !value.isEmpty());
    }

    private @Nullable String text(String name) {
        Optional<String> value = optional(name);
        if (value.isEmpty()) {
            problems.add(name + " is not set");
        }
        return value.orElse(null);
    }

    private @Nullable NodeId node() {
        String value = text("MUSTER_NODE");
        if (value == null) {
            return null;
        }
        try {
            return new NodeId(value);
        } catch (IllegalArgumentException wrong) {
            problems.add("MUSTER_NODE: " + wrong.getMessage());
            return null;
        }
    }

    private @Nullable Path path(String name) {
        String value = text(name);
        return value == null ? null : Path.of(value);
    }

    private @Nullable URI uri(String name) {
        String value = text(name);
        if (value == null) {
            return null;
        }
        try {
            URI uri = URI.create(value);
            if (uri.getHost() != null && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))) {
                return uri;
            }
        } catch (IllegalArgumentException wrong) {
            problems.add(name + " is not a URL: " + wrong.getMessage());
            return null;
        }
        problems.add(name + " is '" + value + "'; it looks like http://127.0.0.1:8084");
        return null;
    }

    private long number(String name, long otherwise, long least, long most) {
        Optional<String> given = optional(name);
        if (given.isEmpty()) {
            return otherwise;
        }
        try {
            long value = Long.parseLong(given.get());
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException notANumber) {
            problems.add(name + " is '" + given.get() + "', not a whole number");
            return otherwise;
        }
        problems.add(name + " is " + given.get() + "; it must be from " + least + " to " + most);
        return otherwise;
    }

    private Driver driver() {
        String given = optional("MUSTER_GPU_DRIVER").orElse("auto");
        for (Driver driver : Driver.values()) {
            if (driver.name().toLowerCase(Locale.ROOT).equals(given)) {
                return driver;
            }
        }
        problems.add("MUSTER_GPU_DRIVER is '" + given + "'; it must be simulated, nvidia or auto");
        return Driver.AUTO;
    }

    private @Nullable NodeDomains domains() {
        String given = text("MUSTER_DOMAINS");
        if (given == null) {
            return null;
        }
        Map<String, String> found = new TreeMap<>();
        for (String part : List.of(given.split(",", -1))) {
            int equals = part.indexOf('=');
            if (equals <= 0 || equals == part.length() - 1) {
                problems.add("MUSTER_DOMAINS has '" + part + "'; it looks like rack=r1,power=w1,pod=p1,cluster=local");
                return null;
            }
            found.put(
                    part.substring(0, equals).strip(),
                    part.substring(equals + 1).strip());
        }
        for (String level : DOMAIN_LEVELS) {
            if (!found.containsKey(level)) {
                problems.add(
                        "MUSTER_DOMAINS names no " + level + "; it looks like rack=r1,power=w1,pod=p1,cluster=local");
            }
        }
        if (!found.keySet().equals(Set.copyOf(DOMAIN_LEVELS))) {
            if (DOMAIN_LEVELS.stream().allMatch(found::containsKey)) {
                problems.add("MUSTER_DOMAINS names " + found.keySet() + "; only " + DOMAIN_LEVELS + " are known");
            }
            return null;
        }
        return new NodeDomains(
                found.getOrDefault("rack", ""),
                found.getOrDefault("power", ""),
                found.getOrDefault("pod", ""),
                found.getOrDefault("cluster", ""));
    }
}
