package io.muster.contract.node;

import io.muster.contract.id.NodeId;
import java.util.List;

/** Whether work may be on a node, from the truth and not from a copy of it. */
public record Fitness(NodeId node, boolean known, boolean leaseAlive, List<Hold> holds) {

    public Fitness {
        holds = List.copyOf(holds);
    }

    public boolean evicted() {
        return holds.stream().anyMatch(hold -> hold.effect() == HoldEffect.EVICT);
    }
}
