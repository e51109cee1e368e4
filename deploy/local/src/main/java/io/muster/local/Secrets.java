package io.muster.local;

import io.muster.edge.identity.IdentityKeys;
import io.muster.gateway.access.ApiKeySecret;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.json.JsonMapper;

/**
 * The secrets of one local system: files of mode 0600 in a folder of mode 0700, made at the first start and kept. API
 * keys for a person to use: {@code admin.key} and {@code engineer.key} (tenant and project {@code default}).
 */
final class Secrets {

    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");
    private static final int RANDOM_BYTES = 24;

    private final Path folder;
    private final JsonMapper mapper;

    Secrets(Path folder, JsonMapper mapper) {
        this.folder = folder;
        this.mapper = mapper;
    }

    void createMissing(Layout layout) {
        try {
            Files.createDirectories(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            IdentityKeys.createMissing(folder);
            for (ServiceName service : ServiceName.values()) {
                random(databasePasswordFile(service));
            }
            for (Layout.LocalNode node : layout.nodes()) {
                random(joinTokenFile(node.name()));
            }
            writeOnce(folder.resolve("admin.key"), ApiKeySecret.generate().value());
            writeOnce(folder.resolve("engineer.key"), ApiKeySecret.generate().value());
            write(joinTokensFile(), joinTokens(layout));
            write(gatewayBootstrapFile(), gatewayBootstrap());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make the secrets in " + folder, e);
        }
    }

    /** For a database server that does not make its own, as {@code EmbeddedDatabase} does. */
    void createSuperuserPassword() {
        try {
            random(superuserFile());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make " + superuserFile(), e);
        }
    }

    private String joinTokens(Layout layout) {
        return mapper.writeValueAsString(Map.of(
                "tokens",
                layout.nodes().stream()
                        .map(node -> Map.of("node", node.name(), "token", read(joinTokenFile(node.name()))))
                        .toList()));
    }

    private String gatewayBootstrap() {
        return mapper.writeValueAsString(Map.of(
                "tenants", List.of(Map.of("id", "default", "projects", List.of("default"))),
                "keys",
                        List.of(
                                key("admin", "ADMIN", List.of("default"), "admin.key"),
                                key("engineer", "ENGINEER", List.of("default"), "engineer.key"))));
    }

    private Map<String, Object> key(String name, String role, List<String> projects, String file) {
        return Map.of(
                "name", name,
                "tenant", "default",
                "projects", projects,
                "role", role,
                "secret", read(folder.resolve(file)));
    }

    String databasePassword(ServiceName service) {
        return read(databasePasswordFile(service));
    }

    Path joinTokenFile(String node) {
        return folder.resolve("join-" + node + ".token");
    }

    Path joinTokensFile() {
        return folder.resolve("join-tokens.json");
    }

    Path gatewayBootstrapFile() {
        return folder.resolve("gateway-bootstrap.json");
    }

    Path superuserFile() {
        return folder.resolve("postgres.password");
    }

    Path key(String name) {
        return folder.resolve(name);
    }

    private Path databasePasswordFile(ServiceName service) {
        return folder.resolve("database-" + service.label() + ".password");
    }

    String read(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }

    private static void random(Path file) throws IOException {
        byte[] bytes = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(bytes);
        writeOnce(file, Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
    }

    private static void writeOnce(Path file, String text) throws IOException {
        if (!Files.exists(file)) {
            write(file, text);
        }
    }

    private static void write(Path file, String text) throws IOException {
        Path part = file.resolveSibling(file.getFileName() + ".part");
        Files.deleteIfExists(part);
        Files.createFile(part, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        Files.write(part, (text + "\n").getBytes(StandardCharsets.UTF_8), StandardOpenOption.WRITE);
        Files.move(
                part,
                file,
                java.nio.file.StandardCopyOption.ATOMIC_MOVE,
                java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }
}
