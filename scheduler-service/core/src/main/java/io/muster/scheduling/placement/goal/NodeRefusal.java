package io.muster.scheduling.placement.goal;

/** Why a single node cannot be a member of a gang; the first goal that refuses is the one counted. */
public enum NodeRefusal {
    OTHER_GPU_MODEL("has another GPU model", "have another GPU model"),
    TOO_FEW_GPUS("has fewer GPUs in all", "have fewer GPUs in all"),
    DRIVER_TOO_OLD("has an older driver", "have an older driver"),
    AVOIDED_BY_USER("is on the job's own list of nodes to avoid", "are on the job's own list of nodes to avoid"),
    NOT_ALIVE("does not report", "do not report"),
    HELD("is held out of service", "are held out of service"),
    SMALL_GANGS_ONLY("takes only gangs of one node", "take only gangs of one node"),
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
