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
 * @param eventSequence of the job's newest event
 * @param checkpointId its newest commit; null before the first
 */
record JobHead(
        JobId jobId,
        TenantId tenant,
        ProjectId project,
        int fence,
        long version,
        long eventSequence,
        @Nullable CheckpointId checkpointId) {

    /** Agents keep so many commits of a job in memory, the newest. */
    static final int COMMITS_IN_MEMORY = 2;

    /** Whether agents still have it in memory, as far as commits decide that. */
    boolean remembers(Checkpoint checkpoint) {
        Long order = checkpoint.commitVersion();
        return checkpoint.jobId().equals(jobId)
                && (order == null ? checkpoint.open() : order > version - COMMITS_IN_MEMORY);
    }
}
