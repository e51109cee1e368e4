package io.muster.contract.node;

import io.muster.contract.id.NodeId;
import java.util.List;

/**
 * Whether work may be on a node, from the truth and not from a copy of it.
 *
 * @param controlPlaneIncident health-service cannot tell at present whether silent nodes are lost or only unheard; nobody
 *     is to conclude anything from this node's silence
 */
public record Fitness(NodeId node, boolean known, boolean leaseAlive, List<Hold> holds, boolean controlPlaneIncident) {

    public Fitness {
        holds = List.copyOf(holds);
    }

    public boolean evicted() {
        return holds.stream().anyMatch(hold -> hold.effect() == HoldEffect.EVICT);
    }
}
