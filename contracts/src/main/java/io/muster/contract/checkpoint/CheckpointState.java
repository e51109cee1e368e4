package io.muster.contract.checkpoint;

import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import io.muster.contract.id.TenantId;
import java.time.Instant;
import java.util.List;

/**
 * Whole state of a job's newest commit, the data of the events on {@code muster.checkpoints.v1} (key job). The newest in
 * the order of commits, even if it has become corrupt: nothing newer is ever hidden.
 *
 * @param reservedAt when its first shard was there: training went on after it from this state
 * @param corrupt the job's commits of which a shard has no whole copy left, oldest first; a consumer that missed an event
 *     finds them all here
 */
public record CheckpointState(
        JobId jobId,
        TenantId tenant,
        CheckpointId checkpointId,
        int attempt,
        long step,
        int worldSize,
        long sizeBytes,
        Instant reservedAt,
        Instant committedAt,
        Durability durability,
        List<CheckpointId> corrupt) {
    /** The first version had only durable commits and did not say so, knew of no corrupt ones and not when they were saved. */
    public CheckpointState {
        reservedAt = reservedAt == null ? committedAt : reservedAt;
        durability = durability == null ? Durability.DURABLE : durability;
        corrupt = corrupt == null ? List.of() : List.copyOf(corrupt);
    }
}
