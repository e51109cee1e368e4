package io.muster.gateway;

import io.muster.edge.identity.IdentityKeys;
import io.muster.gateway.access.ApiKeySecret;
import io.muster.testing.TestDatabase;
import io.muster.testing.TestDatabases;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The gateway as the launcher starts it, on free ports, five stub services behind it. */
final class RunningGateway implements AutoCloseable {

    final String admin = ApiKeySecret.generate().value();
    final Map<String, StubService> services = new LinkedHashMap<>();
    final Path keys;
    final TestDatabase database;

    private final Path folder;
    private final HttpClient http = HttpClient.newHttpClient();
    private ConfigurableApplicationContext context;

    RunningGateway(Path folder, Map<String, String> settings) {
        this.folder = folder;
        this.keys = folder.resolve("keys");
        this.database = TestDatabases.fresh("gateway");
        IdentityKeys.createMissing(keys);
        for (String name : List.of("job", "quota", "scheduler", "health", "checkpoint")) {
            services.put(name, new StubService(name));
        }
        writeBootstrap(usualBootstrap());
        this.context = start(settings);
    }

    String usualBootstrap() {
        return """
                {"tenants":[{"id":"default","projects":["default"]},{"id":"acme","projects":["llm","vision"]}],
                 "keys":[{"name":"admin","tenant":"default","projects":[],"role":"ADMIN","secret":"%s"}]}
                """.formatted(admin);
    }

    Path bootstrapFile() {
        return folder.resolve("bootstrap.json");
    }

    void writeBootstrap(String text) {
        try {
            Path file = bootstrapFile();
            Files.deleteIfExists(file);
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    ConfigurableApplicationContext start(Map<String, String> settings) {
        List<String> arguments = new ArrayList<>(List.of(
                "--server.port=0",
                "--management.server.port=0",
                "--spring.datasource.url=" + database.url(),
                "--spring.datasource.username=" + database.user(),
                "--spring.datasource.password=" + database.password(),
                "--muster.gateway.bootstrap-file=" + bootstrapFile(),
                "--muster.identity.gateway-public-key=" + keys.resolve(IdentityKeys.GATEWAY_PUBLIC),
                "--muster.identity.gateway-private-key=" + keys.resolve(IdentityKeys.GATEWAY_PRIVATE),
                "--muster.identity.node-public-key=" + keys.resolve(IdentityKeys.NODE_PUBLIC),
                "--muster.identity.service-secret=" + keys.resolve(IdentityKeys.SERVICE_SECRET)));
        services.forEach((name, stub) -> arguments.add("--muster.services." + name + ".url=" + stub.url()));
        settings.forEach((name, value) -> arguments.add("--" + name + "=" + value));
        return GatewayApplication.application().registerShutdownHook(false).run(arguments.toArray(String[]::new));
    }

    void restart(Map<String, String> settings) {
        context.close();
        context = start(settings);
    }

    StubService service(String name) {
        return java.util.Objects.requireNonNull(services.get(name), name);
    }

    List<StubService.Asked> asked() {
        return services.values().stream().flatMap(stub -> stub.asked.stream()).toList();
    }

    void reset() {
        services.values().forEach(StubService::reset);
    }

    int port() {
        return context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    }

    int managementPort() {
        return context.getEnvironment().getRequiredProperty("local.management.port", Integer.class);
    }

    HttpRequest.Builder request(String path, @Nullable String key) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path));
        return key == null ? request : request.header("Authorization", "Bearer " + key);
    }

    HttpResponse<String> get(String path, @Nullable String key) {
        return send(request(path, key));
    }

    HttpResponse<String> post(String path, @Nullable String key, String json) {
        return send(request(path, key)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json)));
    }

    HttpResponse<String> delete(String path, @Nullable String key) {
        return send(request(path, key).DELETE());
    }

    HttpResponse<String> send(HttpRequest.Builder request) {
        return send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler) {
        try {
            return http.send(request, handler);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Bytes as they are, for what no client library would send. */
    String raw(String request) {
        try (Socket socket = new Socket("127.0.0.1", port())) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            socket.shutdownOutput();
            InputStream in = socket.getInputStream();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A new key of this kind, made as an administrator makes it. */
    String newKey(String tenant, String role, String projects) {
        HttpResponse<String> made = post(
                "/api/v1/keys",
                admin,
                "{\"name\":\"test\",\"tenant\":\"%s\",\"role\":\"%s\",\"projects\":%s}"
                        .formatted(tenant, role, projects));
        return json(made).path("secret").asString();
    }

    static String idOf(String secret) {
        return ApiKeySecret.parse(secret).orElseThrow().keyId().value();
    }

    static JsonNode json(HttpResponse<String> answer) {
        return JsonMapper.shared().readTree(answer.body());
    }

    @Override
    public void close() {
        http.close();
        context.close();
        services.values().forEach(StubService::close);
    }
}
