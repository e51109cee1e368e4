package io.muster.scheduling.placement.goal;

import io.muster.scheduling.cluster.NodeClass;
import io.muster.scheduling.gang.GangRequest;
import java.util.Optional;

/** The node is alive, and the union of the effects on it lets a gang of this size start. */
public record HoldGoal() implements ClassGoal {

    @Override
    public Optional<NodeRefusal> refusal(GangRequest request, NodeClass nodeClass) {
        if (nodeClass.takesWork()) {
            return Optional.empty();
        }
        if (!nodeClass.alive()) {
            return Optional.of(NodeRefusal.NOT_ALIVE);
        }
        if (!nodeClass.takesSmallWork()) {
            return Optional.of(NodeRefusal.HELD);
        }
        return request.nodes() == 1 ? Optional.empty() : Optional.of(NodeRefusal.SMALL_GANGS_ONLY);
    }
}
