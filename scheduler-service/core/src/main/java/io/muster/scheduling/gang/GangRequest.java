package io.muster.scheduling.gang;

import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What must be found, all or nothing: {@code nodes} distinct nodes with {@code gpusPerNode} whole GPUs each, of one GPU
 * model for the whole gang.
 *
 * @param gpuModels acceptable models in order of preference; empty = any one
 * @param equalDriver one driver version on all members
 * @param within the smallest common domain wanted
 * @param avoidNodes the user's own exclusions
 * @param failedNodes nodes on which this job failed before; not used again for it while they are listed
 */
public record GangRequest(
        int nodes,
        int gpusPerNode,
        List<GpuModel> gpuModels,
        @Nullable DriverVersion minDriver,
        boolean equalDriver,
        DomainType within,
        PlacementMode mode,
        @Nullable SpreadLimit spread,
        List<NodeId> avoidNodes,
        List<NodeId> failedNodes) {

    /** GPUs of a node are kept in one 64-bit mask. */
    public static final int MAX_GPUS_PER_NODE = 64;

    public GangRequest {
        if (nodes < 1 || gpusPerNode < 0 || gpusPerNode > MAX_GPUS_PER_NODE) {
            throw new IllegalArgumentException("a gang of " + nodes + " nodes with " + gpusPerNode
                    + " GPUs each; at least 1 node and 0 to " + MAX_GPUS_PER_NODE + " GPUs are needed");
        }
        gpuModels = gpuModels.stream().distinct().toList();
        avoidNodes = List.copyOf(new TreeSet<>(avoidNodes));
        failedNodes = List.copyOf(new TreeSet<>(failedNodes));
    }

    /** Any model and driver (equal within the gang), anywhere in one cluster. */
    public static GangRequest of(int nodes, int gpusPerNode) {
        return new GangRequest(
                nodes,
                gpusPerNode,
                List.of(),
                null,
                true,
                DomainType.CLUSTER,
                PlacementMode.REQUIRED,
                null,
                List.of(),
                List.of());
    }

    public int gpus() {
        return nodes * gpusPerNode;
    }

    public GangRequest withGpuModels(GpuModel... models) {
        return new GangRequest(
                nodes,
                gpusPerNode,
                List.of(models),
                minDriver,
                equalDriver,
                within,
                mode,
                spread,
                avoidNodes,
                failedNodes);
    }

    public GangRequest withMinDriver(@Nullable DriverVersion driver) {
        return new GangRequest(
                nodes, gpusPerNode, gpuModels, driver, equalDriver, within, mode, spread, avoidNodes, failedNodes);
    }

    public GangRequest withEqualDriver(boolean equal) {
        return new GangRequest(
                nodes, gpusPerNode, gpuModels, minDriver, equal, within, mode, spread, avoidNodes, failedNodes);
    }

    public GangRequest within(DomainType domain, PlacementMode wanted) {
        return new GangRequest(
                nodes, gpusPerNode, gpuModels, minDriver, equalDriver, domain, wanted, spread, avoidNodes, failedNodes);
    }

    public GangRequest withSpread(@Nullable SpreadLimit limit) {
        return new GangRequest(
                nodes, gpusPerNode, gpuModels, minDriver, equalDriver, within, mode, limit, avoidNodes, failedNodes);
    }

    public GangRequest withAvoidNodes(Collection<NodeId> avoided) {
        return new GangRequest(
                nodes,
                gpusPerNode,
                gpuModels,
                minDriver,
                equalDriver,
                within,
                mode,
                spread,
                List.copyOf(avoided),
                failedNodes);
    }

    public GangRequest withFailedNodes(Collection<NodeId> failed) {
        return new GangRequest(
                nodes,
                gpusPerNode,
                gpuModels,
                minDriver,
                equalDriver,
                within,
                mode,
                spread,
                avoidNodes,
                List.copyOf(failed));
    }
}
