package io.muster.scheduling.placement.goal;

import io.muster.scheduling.gang.GangRequest;
import java.util.Optional;

/** The node has as many free GPUs as a member needs. */
public final class FreeGpuGoal {

    private FreeGpuGoal() {}

    public static Optional<NodeRefusal> refusal(GangRequest request, int freeGpus) {
        return freeGpus >= request.gpusPerNode() ? Optional.empty() : Optional.of(NodeRefusal.NOT_ENOUGH_FREE_GPUS);
    }
}
