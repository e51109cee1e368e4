package io.muster.local;

import java.nio.file.Path;
import java.util.List;

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
        NamedArguments given = new NamedArguments(KNOWN, arguments);
        return new LocalOptions(
                Path.of(given.required("home")).toAbsolutePath(),
                Integer.parseInt(given.or("nodes", "8")),
                Integer.parseInt(given.or("racks", "2")),
                Integer.parseInt(given.or("port-offset", "0")),
                Boolean.parseBoolean(given.or("processes", "false")),
                Path.of(given.required("client")).toAbsolutePath());
    }
}
