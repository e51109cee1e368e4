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
 * @param joinRepeatLimit how long after a join the same boot of the node may repeat it, as long as it has not used the
 *     session
 */
@ConfigurationProperties("muster.health")
record RegistryProperties(
        @Nullable Path bootstrapJoinTokens,
        @DefaultValue("24h") Duration joinTokenLife,
        @DefaultValue("10m") Duration joinRepeatLimit) {

    RegistryProperties {
        if (!joinTokenLife.isPositive()) {
            throw new IllegalArgumentException(
                    "muster.health.join-token-life is " + joinTokenLife + ": it must be above zero");
        }
        if (joinRepeatLimit.isNegative()) {
            throw new IllegalArgumentException(
                    "muster.health.join-repeat-limit is " + joinRepeatLimit + ": it must be zero or above");
        }
    }
}
