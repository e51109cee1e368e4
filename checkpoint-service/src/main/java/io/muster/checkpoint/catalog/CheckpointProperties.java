package io.muster.checkpoint.catalog;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings under {@code muster.checkpoint}; {@code sweep-interval} (30 s) is read where the sweep is.
 *
 * @param reserveDeadline how long the ranks have to store all shards of a checkpoint
 */
@ConfigurationProperties("muster.checkpoint")
record CheckpointProperties(@DefaultValue("10m") Duration reserveDeadline) {

    CheckpointProperties {
        if (!reserveDeadline.isPositive()) {
            throw new IllegalArgumentException(
                    "muster.checkpoint.reserve-deadline is " + reserveDeadline + "; it must be above zero");
        }
    }
}
