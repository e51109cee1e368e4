package io.muster.contract;

/**
 * What happened; the type of a CloudEvent. On a topic that others keep state from, the data is the whole state of the
 * key whatever the type, so a consumer never needs an earlier event.
 */
public enum EventType {
    JOB_SUBMITTED("io.muster.job.job-submitted.v1", Topics.JOBS),
    JOB_CHANGED("io.muster.job.job-changed.v1", Topics.JOBS),
    MEMBER_RELEASED("io.muster.job.member-released.v1", Topics.JOBS),
    JOB_ENDED("io.muster.job.job-ended.v1", Topics.JOBS),
    GANG_PLACED("io.muster.placement.gang-placed.v1", Topics.PLACEMENTS),
    GANG_CHANGED("io.muster.placement.gang-changed.v1", Topics.PLACEMENTS),
    GANG_WOUNDED("io.muster.placement.gang-wounded.v1", Topics.PLACEMENTS),
    GANG_REPAIRED("io.muster.placement.gang-repaired.v1", Topics.PLACEMENTS),
    GANG_RELEASED("io.muster.placement.gang-released.v1", Topics.PLACEMENTS),
    NODE_REGISTERED("io.muster.node.node-registered.v1", Topics.NODES),
    NODE_CHANGED("io.muster.node.node-changed.v1", Topics.NODES),
    QUOTA_TREE_CHANGED("io.muster.quota.quota-tree-changed.v1", Topics.QUOTAS),
    CHECKPOINT_COMMITTED("io.muster.checkpoint.checkpoint-committed.v1", Topics.CHECKPOINTS),
    CHECKPOINT_CORRUPT("io.muster.checkpoint.checkpoint-corrupt.v1", Topics.CHECKPOINTS),
    FAULT_OPENED("io.muster.fault.fault-opened.v1", Topics.FAULTS),
    FAULT_UPDATED("io.muster.fault.fault-updated.v1", Topics.FAULTS),
    FAULT_RESOLVED("io.muster.fault.fault-resolved.v1", Topics.FAULTS);

    private final String type;
    private final String topic;

    EventType(String type, String topic) {
        this.type = type;
        this.topic = topic;
    }

    /** The CloudEvents attribute {@code type}. */
    public String type() {
        return type;
    }

    public String topic() {
        return topic;
    }
}
