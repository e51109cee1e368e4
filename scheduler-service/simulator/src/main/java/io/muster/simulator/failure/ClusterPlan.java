package io.muster.simulator.failure;

/**
 * The cluster: one job over all nodes but the spares. Nodes stand in racks by number; each rack has one power unit, and
 * {@code racksPerLeaf} racks hang on one leaf switch, which is a pod to the scheduler.
 *
 * <p>Defaults: 1,250 nodes of 8 GPUs = 10,000 GPUs. 26 spares are the 99th percentile of nodes in repair at 6.5 faults per
 * 1,000 node-days and 48 h of repair (reference/health.md 4b, hot-spare count). A leaf of 25 nodes is within the 16 to 64
 * of reference/health.md 3d; racks of 5 nodes are an assumption.
 */
record ClusterPlan(int jobNodes, int spares, int gpusPerNode, int nodesPerRack, int racksPerLeaf) {

    ClusterPlan {
        if (jobNodes < 2 || spares < 0 || gpusPerNode < 1 || nodesPerRack < 1 || racksPerLeaf < 1) {
            throw new IllegalArgumentException("a job of " + jobNodes + " nodes with " + spares + " spares, "
                    + gpusPerNode + " GPUs per node, " + nodesPerRack + " nodes per rack, " + racksPerLeaf
                    + " racks per leaf; at least 2, 0, 1, 1 and 1 are needed");
        }
    }

    static ClusterPlan ofTenThousandGpus() {
        return new ClusterPlan(1_224, 26, 8, 5, 5);
    }

    ClusterPlan with(int newJobNodes, int newSpares) {
        return new ClusterPlan(newJobNodes, newSpares, gpusPerNode, nodesPerRack, racksPerLeaf);
    }

    int nodes() {
        return jobNodes + spares;
    }

    int racks() {
        return Math.ceilDiv(nodes(), nodesPerRack);
    }

    int leaves() {
        return Math.ceilDiv(racks(), racksPerLeaf);
    }

    int rackOf(int node) {
        return node / nodesPerRack;
    }

    int leafOf(int node) {
        return rackOf(node) / racksPerLeaf;
    }

    /** Spares stand evenly spread, so that no domain takes more than its share of them. */
    boolean spareAtFirst(int node) {
        return (long) (node + 1) * spares / nodes() > (long) node * spares / nodes();
    }
}
