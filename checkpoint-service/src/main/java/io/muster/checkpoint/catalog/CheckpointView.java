package io.muster.checkpoint.catalog;

import io.muster.contract.checkpoint.CheckpointPhase;
import io.muster.contract.checkpoint.Durability;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A checkpoint as people see it.
 *
 * @param parentId the commit before it in its attempt, else what the attempt was restored from
 * @param commitOrder its place among the job's commits
 * @param durability what it survives; null unless it was committed
 * @param holders how many nodes still have shards of it in memory
 * @param reason why it was abandoned, is corrupt, or is not safe yet
 * @param shards one for each rank that has stored; only in the detail
 */
record CheckpointView(
        CheckpointId id,
        JobId jobId,
        int attempt,
        long step,
        int worldSize,
        CheckpointPhase phase,
        @Nullable Durability durability,
        int holders,
        long sizeBytes,
        @Nullable CheckpointId parentId,
        @Nullable Long commitOrder,
        Instant reservedAt,
        @Nullable Instant endedAt,
        @Nullable String reason,
        @Nullable List<StoredShard> shards) {

    static CheckpointView of(Checkpoint checkpoint, int holders, @Nullable List<StoredShard> shards) {
        return new CheckpointView(
                checkpoint.id(),
                checkpoint.jobId(),
                checkpoint.attempt(),
                checkpoint.step(),
                checkpoint.worldSize(),
                checkpoint.phase(),
                checkpoint.durability(),
                holders,
                checkpoint.sizeBytes(),
                checkpoint.parentId(),
                checkpoint.commitVersion(),
                checkpoint.reservedAt(),
                checkpoint.endedAt(),
                checkpoint.reason(),
                shards);
    }
}
