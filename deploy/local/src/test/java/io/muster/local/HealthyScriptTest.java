package io.muster.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The health check of the containers says yes only to what is well. */
class HealthyScriptTest {

    private static final String SCRIPT =
            ComposeFile.FOLDER.resolve("healthy").toAbsolutePath().normalize().toString();

    @ParameterizedTest
    @CsvSource({"200,0", "503,1", "404,1"})
    void aServiceIsWellIfItAnswers200(int status, int code) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
        server.createContext("/actuator/health", exchange -> {
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        });
        server.start();
        try {
            assertThat(healthy("http", Integer.toString(server.getAddress().getPort()), "/actuator/health"))
                    .isEqualTo(code);
        } finally {
            server.stop(0);
        }
    }

    @ParameterizedTest
    @CsvSource({"MUSTER 127.0.0.1 7 challenge,0", "MUSTER r9-n9 7 challenge,1", "SSH-2.0-OpenSSH,1"})
    void anAgentIsWellIfItGreetsWithItsName(String greeting, int code) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread.ofPlatform().daemon().start(() -> greet(server, greeting));
            assertThat(healthy("agent", "127.0.0.1", Integer.toString(server.getLocalPort())))
                    .isEqualTo(code);
        }
    }

    @Test
    void whatDoesNotListenIsNotWell() throws Exception {
        int free;
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = server.getLocalPort();
        }
        assertThat(healthy("http", Integer.toString(free), "/actuator/health")).isEqualTo(1);
        assertThat(healthy("agent", "127.0.0.1", Integer.toString(free))).isEqualTo(1);
        assertThat(healthy("what")).isEqualTo(2);
    }

    private static void greet(ServerSocket server, String greeting) {
        try (var peer = server.accept()) {
            peer.getOutputStream().write((greeting + "\n").getBytes(StandardCharsets.US_ASCII));
            peer.getInputStream().read();
        } catch (IOException ended) {
            // the test is over
        }
    }

    private static int healthy(String... arguments) throws Exception {
        List<String> command =
                Stream.concat(Stream.of("bash", SCRIPT), Stream.of(arguments)).toList();
        return new ProcessBuilder(command).inheritIO().start().waitFor();
    }
}
