package io.muster.scheduling.placement.goal;

import io.muster.scheduling.cluster.NodeClass;
import io.muster.scheduling.gang.GangRequest;
import java.util.Optional;

/** The node is not kept as a spare; a repair does not ask this. */
public record SpareGoal() implements ClassGoal {

    @Override
    public Optional<NodeRefusal> refusal(GangRequest request, NodeClass nodeClass) {
        return nodeClass.spare() ? Optional.of(NodeRefusal.KEPT_AS_SPARE) : Optional.empty();
    }
}
