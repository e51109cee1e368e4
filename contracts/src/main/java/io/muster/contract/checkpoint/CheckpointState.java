package io.muster.contract.checkpoint;

import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import io.muster.contract.id.TenantId;
import java.time.Instant;

/** Whole state of a job's newest commit, the data of the events on {@code muster.checkpoints.v1} (key job). */
public record CheckpointState(
        JobId jobId,
        TenantId tenant,
        CheckpointId checkpointId,
        int attempt,
        long step,
        int worldSize,
        long sizeBytes,
        Instant committedAt,
        Durability durability) {
    /** The first version had only durable commits and did not say so. */
    public CheckpointState {
        durability = durability == null ? Durability.DURABLE : durability;
    }
}
