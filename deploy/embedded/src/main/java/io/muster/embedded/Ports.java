package io.muster.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/** Loopback ports: free ones, and a clear refusal of a taken one before anything is started on it. */
final class Ports {

    static final String LOOPBACK = "127.0.0.1";

    private Ports() {}

    static void check(String what, int port) {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException(what + " port must be 0 (free) to 65535, not " + port);
        }
    }

    /** Distinct free ports: all are held open until the last one is known. */
    static List<Integer> free(int count) {
        List<ServerSocket> held = new ArrayList<>();
        try {
            List<Integer> ports = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                var socket = new ServerSocket(0, 1, InetAddress.getByName(LOOPBACK));
                held.add(socket);
                ports.add(socket.getLocalPort());
            }
            return ports;
        } catch (IOException e) {
            throw new UncheckedIOException("no free port on " + LOOPBACK, e);
        } finally {
            held.forEach(Ports::close);
        }
    }

    static int givenOrFree(int port) {
        return port == 0 ? free(1).getFirst() : port;
    }

    static void requireFree(String what, int port) {
        try (var socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(LOOPBACK, port));
        } catch (IOException e) {
            throw new IllegalStateException(
                    "port " + port + " on " + LOOPBACK + " is taken, " + what
                            + " cannot start: stop the other program or choose another port",
                    e);
        }
    }

    private static void close(ServerSocket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
