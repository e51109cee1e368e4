package io.muster.agent.memory;

import io.muster.agent.memory.HeldShard.Origin;
import java.util.List;

/** Steps of one attempt that are still to be stored from here, the oldest first. */
record Pinned(int attempt, List<Long> steps) {

    Pinned {
        steps = List.copyOf(steps);
    }

    boolean has(HeldShard shard) {
        return shard.origin() == Origin.OWN && shard.attempt() == attempt && steps.contains(shard.step());
    }

    boolean hasFirst(HeldShard shard) {
        return has(shard) && steps.getFirst() == shard.step();
    }
}
