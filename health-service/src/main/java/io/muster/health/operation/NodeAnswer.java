package io.muster.health.operation;

import io.muster.contract.id.NodeId;
import io.muster.contract.problem.Problem;
import io.muster.edge.identity.UserCaller;
import io.muster.edge.problem.Problems;
import io.muster.health.node.NodeRecord;
import io.muster.health.query.NodeView;
import io.muster.health.query.NodeViews;
import java.util.Optional;
import org.springframework.http.ResponseEntity;

/** What a person gets who operates a node: the node as it is now, or why nothing was changed. */
sealed interface NodeAnswer {

    record Done(NodeView node) implements NodeAnswer {}

    record Refused(Problem problem) implements NodeAnswer {}

    static NodeAnswer of(NodeId node, Optional<NodeRecord> changed, NodeViews views) {
        return changed.<NodeAnswer>map(record -> new Done(views.view(record)))
                .orElseGet(() -> new Refused(NodeViews.unknown(node)));
    }

    /** @param what continues "may not" */
    static NodeAnswer notWithThisRole(UserCaller caller, String what) {
        return new Refused(Problem.of(
                403,
                "FORBIDDEN",
                "Not with this role",
                "Role " + caller.role() + " may not " + what + ".",
                "Ask someone with role SRE or ADMIN."));
    }

    default ResponseEntity<?> response() {
        return switch (this) {
            case Done(var node) -> ResponseEntity.ok(node);
            case Refused(var problem) -> Problems.answer(problem);
        };
    }
}
