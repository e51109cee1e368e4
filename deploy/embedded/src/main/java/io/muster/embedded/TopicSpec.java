package io.muster.embedded;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A topic as it should be.
 *
 * @param compacted keeps the newest record per key for ever
 * @param retention how long records are kept; null: as long as the broker's default says (compacted topics: for ever)
 */
public record TopicSpec(
        String name,
        int partitions,
        boolean compacted,
        @Nullable Duration retention) {

    public TopicSpec {
        if (!name.matches("[A-Za-z0-9._-]{1,249}")) {
            throw new IllegalArgumentException("\"" + name + "\" cannot name a topic");
        }
        if (partitions < 1) {
            throw new IllegalArgumentException("topic " + name + " needs at least 1 partition, not " + partitions);
        }
        if (retention != null && !retention.isPositive()) {
            throw new IllegalArgumentException("topic " + name + " needs a retention above zero, not " + retention);
        }
    }
}
