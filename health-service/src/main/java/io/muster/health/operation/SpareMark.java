package io.muster.health.operation;

import io.muster.contract.id.NodeId;
import io.muster.contract.problem.Problem;
import io.muster.edge.identity.UserCaller;
import io.muster.health.node.Fence;
import io.muster.health.node.Nodes;
import io.muster.health.query.NodeView;
import io.muster.health.query.NodeViews;
import org.springframework.stereotype.Component;

/**
 * Keeps a node for repairs of wounded gangs, and gives it back to all. What runs there goes on. Repeating either is
 * harmless; who did it is in the log beside the change.
 */
@Component
class SpareMark {

    /** What a person gets. */
    sealed interface Answer {

        record Done(NodeView node) implements Answer {}

        record Refused(Problem problem) implements Answer {}
    }

    private final Nodes nodes;
    private final NodeViews views;

    SpareMark(Nodes nodes, NodeViews views) {
        this.nodes = nodes;
        this.views = views;
    }

    Answer set(UserCaller caller, NodeId node, boolean spare) {
        if (!caller.mayOperateNodes()) {
            return new Answer.Refused(Problem.of(
                    403,
                    "FORBIDDEN",
                    "Not with this role",
                    "Role " + caller.role() + " may not keep node " + node + " as a spare or give it back.",
                    "Ask someone with role SRE or ADMIN."));
        }
        String because = (spare ? "kept as a spare by " : "given back from the spares by ") + caller.keyId();
        return nodes.change(node, Fence.NONE, because, (before, newId, now) -> before.withSpare(spare))
                .<Answer>map(after -> new Answer.Done(views.view(after)))
                .orElseGet(() -> new Answer.Refused(NodeViews.unknown(node)));
    }
}
