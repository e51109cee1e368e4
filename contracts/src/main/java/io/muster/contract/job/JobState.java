package io.muster.contract.job;

import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whole state of a job, the data of every event on {@code muster.jobs.v1}; job-service is its only writer.
 *
 * <p>The scheduler reads three things from it. {@code wantsGpus}: the job is pending whenever this is true and it has no
 * live allocation, and a live one with lost members is repaired only while it is true. {@code generation}: the newest
 * placement that job-service has taken notice of (0 = none).
 * {@code releasedMembers}: nodes of that generation on which the agent has confirmed that every process is gone (or on
 * which nothing was ever started); only these are free again.
 *
 * @param reason a stable code beside the phase, such as REQUEUED or NODE_LOST
 * @param priority 1 (lowest) to 9 (highest)
 * @param requeued the gang was released whole through no fault of its own: it goes ahead of its peers
 * @param failedNodes nodes on which this job failed preflight or was lost; not used again for it
 * @param maxRuntimeSeconds the user's limit over all attempts, queue time not counted
 * @param firstStepAt when the newest attempt was first seen to have trained a step of its own; null before
 */
public record JobState(
        JobId jobId,
        TenantId tenant,
        ProjectId project,
        QueuePath queue,
        String name,
        JobPhase phase,
        @Nullable String reason,
        int priority,
        boolean requeued,
        Instant submittedAt,
        GangRequest gang,
        boolean wantsGpus,
        int generation,
        int attempt,
        List<NodeId> releasedMembers,
        List<NodeId> failedNodes,
        @Nullable Long maxRuntimeSeconds,
        @Nullable Instant endedAt,
        @Nullable Instant firstStepAt) {

    public JobState {
        releasedMembers = List.copyOf(releasedMembers);
        failedNodes = List.copyOf(failedNodes);
    }
}
