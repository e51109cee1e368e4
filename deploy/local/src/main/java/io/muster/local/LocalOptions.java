package io.muster.local;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What {@code ./muster up} asks for.
 *
 * @param home all data, logs and secrets of this system
 * @param client the folder of the Python client that ranks get on their PYTHONPATH
 */
record LocalOptions(Path home, int nodes, int racks, int portOffset, boolean processes, Path client) {

    private static final List<String> KNOWN = List.of("home", "nodes", "racks", "port-offset", "processes", "client");

    LocalOptions {
        if (nodes < 1 || racks < 1 || racks > nodes || racks > 250 || (nodes + racks - 1) / racks > 250) {
            throw new IllegalArgumentException(
                    nodes + " nodes in " + racks + " racks: 1 to 250 racks with 1 to 250 nodes each are possible");
        }
        if (portOffset < 0 || portOffset > 40_000) {
            throw new IllegalArgumentException("a port offset of " + portOffset + "; 0 to 40000 are possible");
        }
    }

    static LocalOptions parse(String... arguments) {
        Map<String, String> given = new LinkedHashMap<>();
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            if (!argument.startsWith("--") || equals < 0 || !KNOWN.contains(argument.substring(2, equals))) {
                throw new IllegalArgumentException(
                        "cannot read '" + argument + "'; options are --name=value with the names " + KNOWN);
            }
            given.put(argument.substring(2, equals), argument.substring(equals + 1));
        }
        return new LocalOptions(
                Path.of(required(given, "home")).toAbsolutePath(),
                Integer.parseInt(given.getOrDefault("nodes", "8")),
                Integer.parseInt(given.getOrDefault("racks", "2")),
                Integer.parseInt(given.getOrDefault("port-offset", "0")),
                Boolean.parseBoolean(given.getOrDefault("processes", "false")),
                Path.of(required(given, "client")).toAbsolutePath());
    }

    private static String required(Map<String, String> given, String name) {
        String value = given.get(name);
        if (value == null) {
            throw new IllegalArgumentException("--" + name + "=… is missing");
        }
        return value;
    }
}
