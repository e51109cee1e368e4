package io.muster.contract.node;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import io.muster.contract.id.NodeId;
import java.time.Instant;
import java.util.List;

/**
 * Whole state of a node, the data of every event on {@code muster.nodes.v1}; health-service is its only writer.
 *
 * @param spare marked by an administrator: repairs of wounded gangs may use the node, new jobs may not
 */
public record NodeState(
        NodeId node,
        NodeCondition condition,
        long session,
        NodeFacts facts,
        List<Hold> holds,
        Instant registeredAt,
        @JsonSetter(nulls = Nulls.AS_EMPTY) boolean spare) {

    public NodeState {
        holds = List.copyOf(holds);
    }
}
