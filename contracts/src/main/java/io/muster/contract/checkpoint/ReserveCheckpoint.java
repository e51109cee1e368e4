package io.muster.contract.checkpoint;

import io.muster.contract.id.JobId;

/** Asks for a checkpoint at a step; every member asks, all get the same answer. */
public record ReserveCheckpoint(JobId jobId, int attempt, long step, int worldSize) {}
