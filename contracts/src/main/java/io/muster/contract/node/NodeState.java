package io.muster.contract.node;

import io.muster.contract.id.NodeId;
import java.time.Instant;
import java.util.List;

/** Whole state of a node, the data of every event on {@code muster.nodes.v1}; health-service is its only writer. */
public record NodeState(
        NodeId node, NodeCondition condition, long session, NodeFacts facts, List<Hold> holds, Instant registeredAt) {

    public NodeState {
        holds = List.copyOf(holds);
    }
}
