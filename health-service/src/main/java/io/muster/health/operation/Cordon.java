package io.muster.health.operation;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.Hold;
import io.muster.contract.problem.Problem;
import io.muster.contract.problem.Violation;
import io.muster.edge.identity.UserCaller;
import io.muster.health.hold.HoldBook;
import io.muster.health.hold.HoldCause;
import io.muster.health.hold.HoldOpening;
import io.muster.health.node.Fence;
import io.muster.health.node.NodeRecord;
import io.muster.health.node.Nodes;
import io.muster.health.query.NodeViews;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Keeps new work off a node in a person's name, and gives it back. Each key has its own cordon and lifts only that one,
 * and the FLAPPING hold, which belongs to everybody who operates nodes;
 * what holds the node besides is named with its owner. Repeating either is harmless.
 */
@Component
class Cordon {

    private static final int LONGEST_REASON = 500;

    private final Nodes nodes;
    private final NodeViews views;

    Cordon(Nodes nodes, NodeViews views) {
        this.nodes = nodes;
        this.views = views;
    }

    NodeAnswer cordon(UserCaller caller, NodeId node, @Nullable String reason) {
        if (!caller.mayOperateNodes()) {
            return NodeAnswer.notWithThisRole(caller, "operate node " + node);
        }
        if (reason == null || reason.isBlank() || reason.length() > LONGEST_REASON) {
            return new NodeAnswer.Refused(unusable(reason));
        }
        var cordoned = nodes.change(node, Fence.NONE, "cordoned by " + caller.keyId(), (before, newId, now) -> {
            HoldOpening opening = new HoldOpening(
                    HoldCause.CORDONED, node.value(), reason.strip(), caller.keyId(), before.session(), null);
            return before.with(before.holds().with(opening, newId, now));
        });
        return NodeAnswer.of(node, cordoned, views);
    }

    NodeAnswer uncordon(UserCaller caller, NodeId node) {
        if (!caller.mayOperateNodes()) {
            return NodeAnswer.notWithThisRole(caller, "operate node " + node);
        }
        Optional<NodeRecord> known = nodes.find(node);
        if (known.isPresent()) {
            HoldBook holds = known.get().holds();
            boolean ownsNone = lifted(holds, caller).equals(holds);
            if (ownsNone && !holds.open().isEmpty()) {
                return new NodeAnswer.Refused(othersHold(node, holds.holds(), caller.keyId()));
            }
        }
        var uncordoned = nodes.change(
                node,
                Fence.NONE,
                "uncordoned by " + caller.keyId(),
                (before, newId, now) -> before.with(lifted(before.holds(), caller)));
        return NodeAnswer.of(node, uncordoned, views);
    }

    /** The caller's own cordon, and what belongs to whoever operates nodes. */
    private static HoldBook lifted(HoldBook holds, UserCaller caller) {
        return holds.liftedBy(caller.keyId(), HoldCause.CORDONED).liftedBy(HoldBook.OPERATORS, HoldCause.FLAPPING);
    }

    private static Problem unusable(@Nullable String reason) {
        Violation wrong = reason == null || reason.isBlank()
                ? new Violation("/reason", "is missing", null, "1 to " + LONGEST_REASON + " characters")
                : new Violation(
                        "/reason",
                        "has " + reason.length() + " characters",
                        reason.substring(0, 200),
                        "1 to " + LONGEST_REASON + " characters");
        return Problem.of(
                        400,
                        "INVALID_BODY",
                        "The request is not what this path takes",
                        "A cordon needs a reason for those who ask about the node.",
                        "Send {\"reason\": \"…\"}.")
                .with(List.of(wrong));
    }

    private static Problem othersHold(NodeId node, List<Hold> holds, String keyId) {
        String each = holds.stream()
                .map(hold ->
                        hold.cause() + " of " + hold.owner() + " since " + hold.since() + " (" + hold.message() + ")")
                .collect(Collectors.joining("; "));
        return Problem.of(
                409,
                "HOLD_OF_ANOTHER",
                "Others hold the node",
                "Key " + keyId + " holds no cordon on node " + node + ", which is held by: " + each + ".",
                "Only the owner lifts a hold; those of 'health' go when the node's checks pass.");
    }
}
