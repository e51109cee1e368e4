package io.muster.edge.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class IdentityKeysTest {

    private static final List<String> FILES =
            List.of("gateway.pem", "gateway.pub.pem", "node.pem", "node.pub.pem", "services.secret");

    @TempDir
    Path folder;

    @Test
    void makesEveryFileForItsOwnerOnly() throws IOException {
        IdentityKeys.createMissing(folder);
        assertThat(contents().keySet()).containsExactlyElementsOf(FILES);
        for (String name : FILES) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve(name))))
                    .as(name)
                    .isEqualTo("rw-------");
        }
    }

    @Test
    void keepsWhatIsThereAndMakesWhatIsMissing() throws IOException {
        IdentityKeys.createMissing(folder);
        Map<String, String> before = contents();
        IdentityKeys.createMissing(folder);
        assertThat(contents()).isEqualTo(before);
        Files.delete(folder.resolve("node.pub.pem"));
        IdentityKeys.createMissing(folder);
        assertThat(contents()).isEqualTo(before);
        Files.delete(folder.resolve("gateway.pem"));
        IdentityKeys.createMissing(folder);
        assertThat(contents().get("gateway.pub.pem")).isNotEqualTo(before.get("gateway.pub.pem"));
    }

    @Test
    void twoInstallationsShareNothing() throws IOException {
        IdentityKeys.createMissing(folder.resolve("a"));
        IdentityKeys.createMissing(folder.resolve("b"));
        for (String name : FILES) {
            assertThat(Files.readString(folder.resolve("a").resolve(name)))
                    .isNotEqualTo(Files.readString(folder.resolve("b").resolve(name)));
        }
    }

    @Test
    void aSecretThatEverybodyCanReadOrThatIsNoneStopsTheStart() throws IOException {
        IdentityKeys.createMissing(folder);
        Path secret = folder.resolve("services.secret");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatIllegalStateException()
                .isThrownBy(() -> new ServiceTokens(secret, "job", Clock.systemUTC()))
                .withMessageContaining("chmod 600 " + secret);
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        Files.writeString(secret, "c2hvcnQ");
        assertThatIllegalStateException()
                .isThrownBy(() -> new ServiceTokens(secret, "job", Clock.systemUTC()))
                .withMessageContaining(secret.toString())
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("c2hvcnQ"));
        assertThatIllegalStateException()
                .isThrownBy(() -> new UserTokens(folder.resolve("gateway.pub.pem"), Clock.systemUTC()));
        assertThatIllegalStateException()
                .isThrownBy(() -> new UserTokens(folder.resolve("none.pem"), Clock.systemUTC()))
                .withMessageContaining("does not exist");
    }

    @Test
    void aMissingSettingIsNamed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new IdentityProperties(folder, nothing(), folder, null, null))
                .withMessageContaining("muster.identity.node-public-key");
    }

    @Test
    void aServiceTokenIsUsedAgainUntilHalfOfItsLife() {
        IdentityKeys.createMissing(folder);
        Instant start = Instant.parse("2026-01-31T12:00:00Z");
        Instant[] now = {start};
        Clock clock = new Clock() {
            @Override
            public java.time.ZoneId getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(java.time.ZoneId zone) {
                return this;
            }

            @Override
            public Instant instant() {
                return now[0];
            }
        };
        ServiceTokens tokens = new ServiceTokens(folder.resolve("services.secret"), "job", clock);
        String first = tokens.bearerFor("quota");
        assertThat(tokens.bearerFor("health")).isNotEqualTo(first);
        now[0] = start.plus(Duration.ofMillis(29_999));
        assertThat(tokens.bearerFor("quota")).isEqualTo(first);
        now[0] = start.plus(Duration.ofSeconds(30));
        assertThat(tokens.bearerFor("quota")).isNotEqualTo(first);
        // a clock set back must not keep a token that is valid only later
        now[0] = start.minusSeconds(3600);
        String earlier = tokens.bearerFor("quota");
        assertThat(earlier).isNotEqualTo(first);
    }

    @SuppressWarnings("NullAway")
    private static Path nothing() {
        return null;
    }

    private Map<String, String> contents() throws IOException {
        Map<String, String> contents = new TreeMap<>();
        try (var files = Files.list(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                contents.put(file.getFileName().toString(), Files.readString(file));
            }
        }
        return contents;
    }
}
