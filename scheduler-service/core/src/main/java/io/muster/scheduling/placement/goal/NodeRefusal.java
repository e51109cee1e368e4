package io.muster.scheduling.placement.goal;

/**
 * Why a single node cannot be a member of a gang; the first goal that refuses is the one counted. Three of them are said
 * only of replacements, which must suit the members that stay.
 */
public enum NodeRefusal {
    OTHER_GPU_MODEL("has another GPU model", "have another GPU model"),
    TOO_FEW_GPUS("has fewer GPUs in all", "have fewer GPUs in all"),
    DRIVER_TOO_OLD("has an older driver", "have an older driver"),
    UNLIKE_THE_GANG(
            "has another GPU model or driver than the gang's other members",
            "have another GPU model or driver than the gang's other members"),
    APART_FROM_THE_GANG(
            "stands outside the domain that the gang must share", "stand outside the domain that the gang must share"),
    SPREAD_USED_UP(
            "stands in a domain that has as many members as allowed",
            "stand in a domain that has as many members as allowed"),
    AVOIDED_BY_USER("is on the job's own list of nodes to avoid", "are on the job's own list of nodes to avoid"),
    NOT_ALIVE("does not report", "do not report"),
    HELD("is held out of service", "are held out of service"),
    SMALL_GANGS_ONLY("takes only gangs of one node", "take only gangs of one node"),
    KEPT_AS_SPARE("is kept as a spare for repairs", "are kept as spares for repairs"),
    FAILED_FOR_THIS_JOB("failed for this job before", "failed for this job before"),
    NOT_ENOUGH_FREE_GPUS("has too few free GPUs", "have too few free GPUs");

    private final String one;
    private final String many;

    NodeRefusal(String one, String many) {
        this.one = one;
        this.many = many;
    }

    /** Completes "1 node ..." or "12 nodes ...". */
    public String words(int nodes) {
        return nodes == 1 ? one : many;
    }
}
