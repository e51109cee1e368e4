package io.muster.gateway;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A real server in the place of a service: notes what it is asked, and answers as the test says. */
final class StubService implements AutoCloseable {

    record Asked(String service, String method, String uri, Headers headers, String body) {}

    /** Says what to answer. */
    interface Answering {
        void answer(HttpExchange exchange) throws IOException;
    }

    final String name;
    final List<Asked> asked = new CopyOnWriteArrayList<>();
    volatile Answering answering = StubService::hello;

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final int port;
    private HttpServer server;

    StubService(String name) {
        this.name = name;
        this.server = start(0);
        this.port = server.getAddress().getPort();
    }

    String url() {
        return "http://127.0.0.1:" + port;
    }

    void down() {
        server.stop(0);
    }

    void up() {
        server = start(port);
    }

    void reset() {
        asked.clear();
        answering = StubService::hello;
    }

    private HttpServer start(int at) {
        try {
            HttpServer started = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), at), 0);
            started.setExecutor(threads);
            started.createContext("/", this::handle);
            started.start();
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            asked.add(new Asked(
                    name,
                    exchange.getRequestMethod(),
                    exchange.getRequestURI().toString(),
                    exchange.getRequestHeaders(),
                    body));
            answering.answer(exchange);
        }
    }

    private static void hello(HttpExchange exchange) throws IOException {
        send(exchange, 200, "application/json", "{\"ok\":true}");
    }

    static void send(HttpExchange exchange, int status, String type, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
