package io.muster.contract;

/** The topics, their partitions and who writes them (DESIGN.md section 2). Keys: job, job, node, node or domain, "tree", job. */
public final class Topics {

    public static final String JOBS = "muster.jobs.v1";
    public static final String PLACEMENTS = "muster.placements.v1";
    public static final String NODES = "muster.nodes.v1";
    public static final String QUOTAS = "muster.quotas.v1";
    public static final String CHECKPOINTS = "muster.checkpoints.v1";

    public static final String FAULTS = "muster.faults.v1";

    private Topics() {}
}
