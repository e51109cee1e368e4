package io.muster.contract.checkpoint;

import io.muster.contract.id.CheckpointId;
import org.jspecify.annotations.Nullable;

/**
 * Where the checkpoint stands after a report.
 *
 * @param durability null unless the phase is COMMITTED
 */
public record ShardsAnswer(
        CheckpointId checkpointId,
        CheckpointPhase phase,
        int ranksStored,
        int worldSize,
        @Nullable Durability durability) {}
