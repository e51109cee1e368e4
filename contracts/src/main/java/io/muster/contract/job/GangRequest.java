package io.muster.contract.job;

import io.muster.contract.id.NodeId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the scheduler must find: {@code nodes} distinct nodes with {@code gpusPerNode} whole GPUs each, all or nothing.
 *
 * @param gpuTypes acceptable models in order of preference; empty = any, but one model for the whole gang
 * @param minDriverVersion compared as a version, not as text
 * @param equalDriver one identical driver version on all members
 * @param within the smallest common domain wanted
 * @param avoidNodes the user's own exclusions
 */
public record GangRequest(
        int nodes,
        int gpusPerNode,
        List<String> gpuTypes,
        @Nullable String minDriverVersion,
        boolean equalDriver,
        DomainType within,
        PlacementMode mode,
        @Nullable Spread spread,
        List<NodeId> avoidNodes) {

    public GangRequest {
        if (nodes < 1 || gpusPerNode < 0) {
            throw new IllegalArgumentException("a gang of " + nodes + " nodes with " + gpusPerNode
                    + " GPUs each; nodes >= 1 and GPUs >= 0 are needed");
        }
        gpuTypes = List.copyOf(gpuTypes);
        avoidNodes = List.copyOf(avoidNodes);
    }

    public int gpus() {
        return nodes * gpusPerNode;
    }
}
