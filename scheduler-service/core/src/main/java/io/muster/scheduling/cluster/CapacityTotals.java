package io.muster.scheduling.cluster;

/**
 * The cluster's GPUs, each counted once: in use, free on nodes that take work, or out of service (held, or free on a node
 * that takes none).
 */
public record CapacityTotals(
        int nodes, int nodesTakingWork, long gpus, long usedGpus, long freeGpus, long outOfServiceGpus) {

    public static CapacityTotals of(ClusterView view) {
        int nodes = 0;
        int taking = 0;
        long gpus = 0;
        long used = 0;
        long free = 0;
        for (int node = 0; node < view.nodeCount(); node++) {
            if (view.registered(node)) {
                boolean takes = view.nodeClass(view.classNumber(node)).takesSmallWork();
                nodes++;
                taking += takes ? 1 : 0;
                gpus += view.gpus(node);
                used += Long.bitCount(view.usedMask(node));
                free += takes ? view.freeGpus(node) : 0;
            }
        }
        return new CapacityTotals(nodes, taking, gpus, used, free, gpus - used - free);
    }
}
