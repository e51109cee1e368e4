package io.muster.local;

import io.muster.contract.node.NodeDomains;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Folders, ports and node addresses of one local system; ports are the defaults of DESIGN.md plus the offset. */
record Layout(Path home, int portOffset, List<LocalNode> nodes) {

    /** A simulated machine: its own loopback address 127.1.RACK.NODE and its own folder. */
    record LocalNode(String name, String address, NodeDomains domains, Path folder) {}

    static final int AGENT_PORT = 7070;

    static Layout of(LocalOptions options) {
        List<LocalNode> nodes = new ArrayList<>();
        for (int rack = 1; rack <= options.racks(); rack++) {
            // the first racks take what cannot be divided evenly
            int inRack = options.nodes() / options.racks() + (rack <= options.nodes() % options.racks() ? 1 : 0);
            for (int place = 1; place <= inRack; place++) {
                nodes.add(node(options.home(), rack, place));
            }
        }
        return new Layout(options.home(), options.portOffset(), List.copyOf(nodes));
    }

    private static LocalNode node(Path home, int rack, int place) {
        String name = "r" + rack + "-n" + place;
        return new LocalNode(
                name,
                "127.1." + rack + "." + place,
                new NodeDomains("r" + rack, "w" + rack, "p1", "local"),
                home.resolve("nodes").resolve(name));
    }

    int port(ServiceName service) {
        return service.port() + portOffset;
    }

    int databasePort() {
        return 15_432 + portOffset;
    }

    int brokerPort() {
        return 19_092 + portOffset;
    }

    int controllerPort() {
        return 19_093 + portOffset;
    }

    int managementPort() {
        return 8090 + portOffset;
    }

    int agentPort() {
        return AGENT_PORT + portOffset;
    }

    String url(ServiceName service) {
        return "http://127.0.0.1:" + port(service);
    }

    Path secrets() {
        return home.resolve("secrets");
    }

    Path store() {
        return home.resolve("store");
    }

    Path logs() {
        return home.resolve("log");
    }

    KeptDown keptDown() {
        return new KeptDown(home.resolve("kept-down"));
    }

    /** What the command line asks of the running system: a file {@code start-NODE} each. */
    Path requests() {
        return home.resolve("requests");
    }

    /** Written by {@code ./muster node kill}, removed by {@code ./muster node restart}. */
    Path killedMark(String node) {
        return home.resolve("killed").resolve(node + ".json");
    }
}
