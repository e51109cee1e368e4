package io.muster.health.registry;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings under {@code muster.health} about joining.
 *
 * @param bootstrapJoinTokens a file with join tokens that are there from the start, or null
 * @param joinTokenLife how long a join token lasts if its maker does not say
 */
@ConfigurationProperties("muster.health")
record RegistryProperties(
        @Nullable Path bootstrapJoinTokens,
        @DefaultValue("24h") Duration joinTokenLife) {

    RegistryProperties {
        if (!joinTokenLife.isPositive()) {
            throw new IllegalArgumentException(
                    "muster.health.join-token-life is " + joinTokenLife + ": it must be above zero");
        }
    }
}
