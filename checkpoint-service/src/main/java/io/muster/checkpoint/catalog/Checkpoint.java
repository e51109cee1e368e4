package io.muster.checkpoint.catalog;

import io.muster.contract.checkpoint.CheckpointPhase;
import io.muster.contract.checkpoint.Durability;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A checkpoint of a job.
 *
 * @param parentId what its attempt had before it: its last commit, else what it was restored from
 * @param deadline until when it must be whole
 * @param endedAt when it was committed or abandoned
 * @param commitVersion its place in the job's order of commits; null unless it was committed
 * @param durability what it survives; null unless it was committed
 * @param reason why it was abandoned, is corrupt, or is not safe yet
 */
record Checkpoint(
        CheckpointId id,
        JobId jobId,
        int attempt,
        long step,
        int worldSize,
        CheckpointPhase phase,
        @Nullable CheckpointId parentId,
        Instant reservedAt,
        Instant deadline,
        @Nullable Instant endedAt,
        @Nullable Long commitVersion,
        @Nullable Durability durability,
        long sizeBytes,
        @Nullable String reason) {

    boolean committed() {
        return phase == CheckpointPhase.COMMITTED;
    }

    /** Neither committed nor given up. */
    boolean open() {
        return phase == CheckpointPhase.RESERVED || phase == CheckpointPhase.LOCAL;
    }

    boolean durable() {
        return durability == Durability.DURABLE;
    }
}
