package io.muster.contract.checkpoint;

import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.TenantId;
import java.util.List;

/**
 * job-service's question before an attempt starts; the answer and the fence are one transaction: afterwards nothing of
 * an earlier attempt is committed any more.
 *
 * @param damaged checkpoints of which an agent found no whole copy of a shard; they become CORRUPT and are passed over
 * @param resumeFrom {@code latest}, {@code none} or a checkpoint id
 */
public record RestoreRequest(
        JobId jobId,
        TenantId tenant,
        ProjectId project,
        int attempt,
        String resumeFrom,
        int worldSize,
        List<CheckpointId> damaged) {
    public RestoreRequest {
        damaged = List.copyOf(damaged);
    }
}
