package io.muster.scheduling.placement.goal;

import io.muster.scheduling.cluster.NodeClass;
import io.muster.scheduling.gang.GangRequest;
import java.util.Optional;

/** The node's GPU model is one of those asked for; with none asked for, any will do. */
public record GpuModelGoal() implements ClassGoal {

    @Override
    public Optional<NodeRefusal> refusal(GangRequest request, NodeClass nodeClass) {
        return request.gpuModels().isEmpty() || request.gpuModels().contains(nodeClass.model())
                ? Optional.empty()
                : Optional.of(NodeRefusal.OTHER_GPU_MODEL);
    }
}
