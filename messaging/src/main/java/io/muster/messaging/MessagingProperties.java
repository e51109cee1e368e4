package io.muster.messaging;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings under {@code muster.messaging}.
 *
 * @param service names the source of events and the consumer groups; default: {@code spring.application.name}
 * @param instance a name of this process that its next life will have too: a restart then takes over from its earlier
 *     life at once instead of waiting for its lease and its group session to run out. No two living processes of a
 *     service may share it
 * @param pollInterval how often the relay looks for events that no commit of this process announced
 * @param batchSize most events in one transaction of the relay, and records in one of a consumer
 * @param leaseDuration how long a dead relay keeps others waiting
 * @param shards relays of this service that send side by side; a key belongs to one of them
 * @param ownLane topics with a relay of their own: one of them that takes nothing holds up no event of another topic
 * @param retention how long sent events and inbox rows are kept for the audit
 * @param maxEventBytes the largest event; the broker's limit is 1 MiB
 */
@ConfigurationProperties("muster.messaging")
public record MessagingProperties(
        @Nullable String service,
        @Nullable String instance,
        @DefaultValue("250ms") Duration pollInterval,
        @DefaultValue("200") int batchSize,
        @DefaultValue("5s") Duration leaseDuration,
        @DefaultValue("1") int shards,
        @DefaultValue List<String> ownLane,
        @DefaultValue("24h") Duration retention,
        @DefaultValue("900000") int maxEventBytes) {

    public MessagingProperties {
        ownLane = ownLane.stream().distinct().toList();
        requirePositive("poll-interval", pollInterval);
        requirePositive("lease-duration", leaseDuration);
        requirePositive("retention", retention);
        requireAtLeastOne("batch-size", batchSize);
        requireAtLeastOne("shards", shards);
        requireAtLeastOne("max-event-bytes", maxEventBytes);
    }

    private static void requirePositive(String name, Duration value) {
        if (!value.isPositive()) {
            throw new IllegalArgumentException("muster.messaging." + name + " must be above zero, not " + value);
        }
    }

    private static void requireAtLeastOne(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException("muster.messaging." + name + " must be at least 1, not " + value);
        }
    }
}
