package io.muster.simulation;

import io.muster.contract.id.NodeId;
import io.muster.contract.job.JobState;
import java.util.List;

/** For a mutation: a job's state that calls these nodes released. */
final class Released {

    private Released() {}

    static JobState all(JobState job, List<NodeId> nodes) {
        return new JobState(
                job.jobId(),
                job.tenant(),
                job.project(),
                job.queue(),
                job.name(),
                job.phase(),
                job.reason(),
                job.priority(),
                job.requeued(),
                job.submittedAt(),
                job.gang(),
                job.wantsGpus(),
                job.generation(),
                job.attempt(),
                nodes,
                job.failedNodes(),
                job.maxRuntimeSeconds(),
                job.endedAt(),
                job.firstStepAt());
    }
}
