package io.muster.checkpoint.catalog;

import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.TenantId;
import org.jspecify.annotations.Nullable;

/**
 * What a job's checkpoints turn on.
 *
 * @param fence the newest attempt that was told where to start; only it acts, and the fence never falls
 * @param version how often the job has committed
 * @param checkpointId its newest commit; null before the first
 */
record JobHead(
        JobId jobId,
        TenantId tenant,
        ProjectId project,
        int fence,
        long version,
        @Nullable CheckpointId checkpointId) {}
