package io.muster.gateway.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.id.TenantId;
import io.muster.edge.identity.Role;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class ApiKeyTest {

    private static final Instant NOW = Instant.parse("2026-01-31T12:00:00Z");

    @Test
    void secretsHaveOneFormAndNeverRepeat() {
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < 2_000; i++) {
            ApiKeySecret secret = ApiKeySecret.generate();
            assertThat(secret.value()).matches("mk_[0-9a-z]{26}_[0-9A-Za-z]{43}");
            assertThat(ApiKeySecret.parse(secret.value()).orElseThrow().keyId()).isEqualTo(secret.keyId());
            assertThat(seen.add(secret.value().substring(30))).isTrue();
            assertThat(secret.toString()).doesNotContain(secret.value());
        }
    }

    @Test
    void theSecretDecidesBeforeTheStateOfTheKeyIsTold() {
        ApiKeySecret secret = ApiKeySecret.generate();
        ApiKeySecret other = ApiKeySecret.generate();
        assertThat(key(secret, null, null).judge(secret, NOW)).isInstanceOf(KeyVerdict.Accepted.class);
        assertThat(key(secret, null, null).judge(other, NOW)).isInstanceOf(KeyVerdict.Unknown.class);
        assertThat(key(secret, null, NOW).judge(other, NOW)).isInstanceOf(KeyVerdict.Unknown.class);
        assertThat(key(secret, null, NOW).judge(secret, NOW)).isInstanceOf(KeyVerdict.Refused.class);
        assertThat(key(secret, NOW, null).judge(secret, NOW.minusMillis(1))).isInstanceOf(KeyVerdict.Accepted.class);
        assertThat(key(secret, NOW, null).judge(secret, NOW)).isInstanceOf(KeyVerdict.Refused.class);
    }

    private static ApiKey key(ApiKeySecret secret, @Nullable Instant expires, @Nullable Instant revoked) {
        return new ApiKey(
                secret.keyId(),
                "n",
                new TenantId("acme"),
                List.of(),
                Role.ADMIN,
                secret.hash(),
                NOW.minusSeconds(60),
                null,
                expires,
                revoked);
    }
}
