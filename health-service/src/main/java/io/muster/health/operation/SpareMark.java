package io.muster.health.operation;

import io.muster.contract.id.NodeId;
import io.muster.edge.identity.UserCaller;
import io.muster.health.node.Fence;
import io.muster.health.node.Nodes;
import io.muster.health.query.NodeViews;
import org.springframework.stereotype.Component;

/**
 * Keeps a node for repairs of wounded gangs, and gives it back to all. What runs there goes on. Repeating either is
 * harmless; who did it is in the log beside the change.
 */
@Component
class SpareMark {

    private final Nodes nodes;
    private final NodeViews views;

    SpareMark(Nodes nodes, NodeViews views) {
        this.nodes = nodes;
        this.views = views;
    }

    NodeAnswer set(UserCaller caller, NodeId node, boolean spare) {
        if (!caller.mayOperateNodes()) {
            return NodeAnswer.notWithThisRole(caller, "keep node " + node + " as a spare or give it back");
        }
        String because = (spare ? "kept as a spare by " : "given back from the spares by ") + caller.keyId();
        return NodeAnswer.of(
                node, nodes.change(node, Fence.NONE, because, (before, newId, now) -> before.withSpare(spare)), views);
    }
}
