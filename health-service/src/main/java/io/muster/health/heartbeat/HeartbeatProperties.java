package io.muster.health.heartbeat;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings under {@code muster.health} about agents.
 *
 * @param minimumAgentVersion older agents get no work
 * @param nodeTokenLife how long a node's credential lasts; renewed at half of it
 */
@ConfigurationProperties("muster.health")
public record HeartbeatProperties(
        @DefaultValue("0.1.0") String minimumAgentVersion,
        @DefaultValue("24h") Duration nodeTokenLife) {

    public HeartbeatProperties {
        if (!nodeTokenLife.isPositive()) {
            throw new IllegalArgumentException(
                    "muster.health.node-token-life is " + nodeTokenLife + ": it must be above zero");
        }
    }
}
