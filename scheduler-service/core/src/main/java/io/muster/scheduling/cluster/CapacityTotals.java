package io.muster.scheduling.cluster;

/**
 * The cluster's GPUs, each counted once: in use, free on nodes that take new jobs, free on spares, or out of service
 * (held, or free on a node that takes no work).
 */
public record CapacityTotals(
        int nodes,
        int nodesTakingWork,
        long gpus,
        long usedGpus,
        long freeGpus,
        long spareGpus,
        long outOfServiceGpus) {

    public static CapacityTotals of(ClusterView view) {
        int nodes = 0;
        int taking = 0;
        long gpus = 0;
        long used = 0;
        long free = 0;
        long spare = 0;
        for (int node = 0; node < view.nodeCount(); node++) {
            if (view.registered(node)) {
                NodeClass nodeClass = view.nodeClass(view.classNumber(node));
                nodes++;
                taking += nodeClass.takesNewJobs() ? 1 : 0;
                gpus += view.gpus(node);
                used += Long.bitCount(view.usedMask(node));
                free += nodeClass.takesNewJobs() ? view.freeGpus(node) : 0;
                spare += nodeClass.spare() && nodeClass.takesSmallWork() ? view.freeGpus(node) : 0;
            }
        }
        return new CapacityTotals(nodes, taking, gpus, used, free, spare, gpus - used - free - spare);
    }
}
