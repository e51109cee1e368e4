package io.muster.checkpoint.node;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.Hold;
import io.muster.contract.node.HoldEffect;
import io.muster.contract.node.HoldScope;
import io.muster.contract.node.NodeState;
import org.jspecify.annotations.Nullable;

/**
 * What copies in a node's memory turn on.
 *
 * @param memory the life of the node's memory, which outlives the agent but no boot and no wiping; a copy of an earlier life
 *     is gone
 * @param address where peers reach the agent
 * @param evicted why the node or a domain around it is under an EVICT hold; null if it is not
 */
public record KnownNode(
        NodeId node,
        String memory,
        String rack,
        String power,
        String address,
        int port,
        @Nullable String evicted) {

    /** A hold on one of its GPUs leaves the node's memory where it is. */
    static KnownNode of(NodeState state) {
        return new KnownNode(
                state.node(),
                state.facts().bootId(),
                state.facts().domains().rack(),
                state.facts().domains().power(),
                state.facts().agentAddress(),
                state.facts().agentPort(),
                state.holds().stream()
                        .filter(hold -> hold.effect() == HoldEffect.EVICT && hold.scope() != HoldScope.GPU)
                        .map(Hold::cause)
                        .findFirst()
                        .orElse(null));
    }

    /** Whether its agent still has what was taken into this life of the memory. */
    public boolean stillHolds(String takenInto) {
        return evicted == null && memory.equals(takenInto);
    }

    /** Two nodes of one rack or one power domain fail together. */
    public boolean failsWith(KnownNode other) {
        return rack.equals(other.rack) || power.equals(other.power);
    }
}
