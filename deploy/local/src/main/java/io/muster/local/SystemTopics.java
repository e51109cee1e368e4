package io.muster.local;

import io.muster.contract.Topics;
import io.muster.embedded.TopicSpec;
import java.time.Duration;
import java.util.List;

/** The topics of the system: where services hold each other's state for ever, and what is kept for a while (DESIGN 2). */
final class SystemTopics {

    private static final Duration KEPT = Duration.ofDays(30);
    private static final int PARTITIONS = 3;

    private SystemTopics() {}

    static List<TopicSpec> all() {
        return List.of(
                new TopicSpec(Topics.JOBS, PARTITIONS, true, null),
                new TopicSpec(Topics.PLACEMENTS, PARTITIONS, false, KEPT),
                new TopicSpec(Topics.NODES, PARTITIONS, true, null),
                new TopicSpec(Topics.QUOTAS, 1, true, null),
                new TopicSpec(Topics.CHECKPOINTS, PARTITIONS, false, KEPT),
                new TopicSpec(Topics.FAULTS, PARTITIONS, false, KEPT));
    }
}
