package io.muster.scheduling.explain;

/** Why a job does not run, in order of precedence: the first that is true is the main reason, the others are blockers. */
public enum PendingReason {
    INVALID_QUEUE(ReasonCategory.ASK_ADMIN),
    NO_MATCHING_GPU_TYPE(ReasonCategory.CHANGE_REQUEST),
    EXCEEDS_CLUSTER(ReasonCategory.CHANGE_REQUEST),
    EXCEEDS_QUOTA_LIMIT(ReasonCategory.CHANGE_REQUEST),
    EXCEEDS_TOPOLOGY_DOMAIN(ReasonCategory.CHANGE_REQUEST),
    WAITING_FOR_QUOTA(ReasonCategory.WAIT),
    WAITING_FOR_GPUS(ReasonCategory.WAIT),
    FRAGMENTED(ReasonCategory.WAIT),
    WAITING_FOR_HEALTHY_NODES(ReasonCategory.PLATFORM),
    /** Said only of a wounded gang: not all that it lost can be replaced. */
    WAITING_FOR_REPLACEMENT(ReasonCategory.PLATFORM),
    BEHIND_HIGHER_PRIORITY(ReasonCategory.WAIT),
    NOT_EVALUATED_YET(ReasonCategory.WAIT);

    private final ReasonCategory category;

    PendingReason(ReasonCategory category) {
        this.category = category;
    }

    public ReasonCategory category() {
        return category;
    }

    /** Waiting does not help: the request, the quota or the cluster must change. */
    public boolean permanent() {
        return compareTo(WAITING_FOR_QUOTA) < 0;
    }
}
