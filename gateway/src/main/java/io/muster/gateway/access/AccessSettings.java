package io.muster.gateway.access;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of keys.
 *
 * @param bootstrapFile tenants, projects and keys that must exist after the start; made by the launcher
 * @param keyCacheLife how long another gateway may go on accepting a key that this one revoked
 */
@ConfigurationProperties("muster.gateway")
record AccessSettings(
        @Nullable Path bootstrapFile, @DefaultValue("3s") Duration keyCacheLife) {

    AccessSettings {
        if (keyCacheLife.isNegative() || keyCacheLife.compareTo(Duration.ofSeconds(5)) > 0) {
            throw new IllegalArgumentException("muster.gateway.key-cache-life is " + keyCacheLife
                    + "; it must be 0 s to 5 s, because a revoked key must be refused within 5 s");
        }
    }
}
