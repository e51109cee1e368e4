package io.muster.health.lease;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings under {@code muster.health} that say who is alive and who judges.
 *
 * @param heartbeat how often agents speak
 * @param lease how long a node lives without a heartbeat; at least two heartbeats
 * @param judgeSeat how long a silent judge keeps the seat
 * @param advertisedUrl where other instances send agents to; default: this machine's loopback and the server's port
 */
@ConfigurationProperties("muster.health")
public record LeaseProperties(
        @DefaultValue("1s") Duration heartbeat,
        @DefaultValue("3s") Duration lease,
        @DefaultValue("5s") Duration judgeSeat,
        @Nullable String advertisedUrl) {

    public LeaseProperties {
        if (heartbeat.toMillis() < 20) {
            throw new IllegalArgumentException(
                    "muster.health.heartbeat is " + heartbeat + ": it must be at least 20 ms");
        }
        if (lease.compareTo(heartbeat.multipliedBy(2)) < 0) {
            throw new IllegalArgumentException(
                    "muster.health.lease is " + lease + ": it must be at least two heartbeats of " + heartbeat);
        }
        if (judgeSeat.toMillis() < 500) {
            throw new IllegalArgumentException(
                    "muster.health.judge-seat is " + judgeSeat + ": it must be at least 500 ms");
        }
    }

    /** Often enough that a lease is found over soon after it is. */
    public Duration sweepEvery() {
        return heartbeat.dividedBy(4);
    }
}
