package io.muster.job.lifecycle;

import io.muster.contract.EventType;
import io.muster.contract.job.JobState;
import io.muster.job.spec.JobSpec;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A job as the other services see it. */
final class JobStates {

    private JobStates() {}

    static JobState of(Job job) {
        JobSpec spec = job.head().spec();
        Duration limit = spec.maxRuntime();
        return new JobState(
                job.id(),
                job.head().tenant(),
                job.head().project(),
                job.head().queue(),
                spec.name(),
                job.phase(),
                job.status().reason().name(),
                spec.priority().level(),
                job.holding().requeued(),
                job.head().submittedAt(),
                spec.gang(),
                job.wantsGpus(),
                job.holding().generation(),
                job.attempt() == null ? 0 : job.attempt().number(),
                job.holding().released(),
                job.holding().failedNodes(),
                limit == null ? null : limit.toSeconds(),
                endedAt(job),
                job.attempt() == null ? null : job.attempt().training().firstStepAt());
    }

    static @Nullable Instant endedAt(Job job) {
        return job.phase().ended() ? job.status().since() : null;
    }

    /** The type names the weightiest thing that happened; the data is whole anyway. */
    static EventType typeOf(JobState before, JobState after) {
        if (after.phase().ended() && !before.phase().ended()) {
            return EventType.JOB_ENDED;
        }
        boolean released = !after.releasedMembers().isEmpty()
                && !(after.generation() == before.generation()
                        && after.releasedMembers().equals(before.releasedMembers()));
        return released ? EventType.MEMBER_RELEASED : EventType.JOB_CHANGED;
    }
}
