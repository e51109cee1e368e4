package io.muster.health.hold;

import io.muster.contract.node.Hold;
import io.muster.contract.node.HoldScope;
import io.muster.contract.node.NodeCondition;
import java.util.List;

/**
 * A node's condition, from its open holds alone: the worst wins, whatever came last. The condition is for people;
 * placement obeys the holds themselves.
 */
public final class NodeConditions {

    /** Worst first. */
    private static final List<NodeCondition> SEVERITY = List.of(
            NodeCondition.RETIRED,
            NodeCondition.REPAIRING,
            NodeCondition.QUARANTINED,
            NodeCondition.VALIDATING,
            NodeCondition.SUSPECT,
            NodeCondition.DRAINING,
            NodeCondition.PROBATION,
            NodeCondition.HEALTHY);

    private NodeConditions() {}

    public static NodeCondition derive(List<Hold> holds) {
        NodeCondition worst = NodeCondition.HEALTHY;
        for (Hold hold : holds) {
            NodeCondition found = of(hold);
            if (SEVERITY.indexOf(found) < SEVERITY.indexOf(worst)) {
                worst = found;
            }
        }
        return worst;
    }

    private static NodeCondition of(Hold hold) {
        if (hold.scope() == HoldScope.GPU) {
            // the node's other GPUs stay usable
            return NodeCondition.SUSPECT;
        }
        return switch (hold.effect()) {
            case EVICT -> NodeCondition.QUARANTINED;
            case DRAIN -> NodeCondition.DRAINING;
            case SMALL_ONLY -> NodeCondition.PROBATION;
            case NO_NEW_WORK -> ofNoNewWork(hold.cause());
        };
    }

    private static NodeCondition ofNoNewWork(String cause) {
        if (cause.equals(HoldCause.ADMISSION.name())) {
            return NodeCondition.VALIDATING;
        }
        return cause.equals(HoldCause.CORDONED.name()) ? NodeCondition.DRAINING : NodeCondition.SUSPECT;
    }
}
