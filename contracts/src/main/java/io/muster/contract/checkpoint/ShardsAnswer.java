package io.muster.contract.checkpoint;

import io.muster.contract.id.CheckpointId;

/** Where the checkpoint stands after a report. */
public record ShardsAnswer(CheckpointId checkpointId, CheckpointPhase phase, int ranksStored, int worldSize) {}
