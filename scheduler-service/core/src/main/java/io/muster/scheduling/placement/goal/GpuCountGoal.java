package io.muster.scheduling.placement.goal;

import io.muster.scheduling.cluster.NodeClass;
import io.muster.scheduling.gang.GangRequest;
import java.util.Optional;

/** The node has as many GPUs as a member needs, used and held ones included. */
public record GpuCountGoal() implements ClassGoal {

    @Override
    public Optional<NodeRefusal> refusal(GangRequest request, NodeClass nodeClass) {
        return nodeClass.gpus() >= request.gpusPerNode() ? Optional.empty() : Optional.of(NodeRefusal.TOO_FEW_GPUS);
    }
}
