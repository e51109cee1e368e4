package io.muster.job.lifecycle;

import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How long the healthy members of a wounded gang are kept for the job. Afterwards all are released, and the job is placed
 * anew whole, ahead of its peers. It counts from the decision to repair, from the newest generation that came of it, or
 * from the last moment at which health-service could not tell silent nodes from lost ones. A whole gang that only waits
 * for its old processes to end is past the wait.
 */
record RepairWait(Duration limit) {

    RepairWait {
        if (limit.compareTo(Duration.ZERO) <= 0) {
            throw new IllegalArgumentException("muster.job.repair-wait (" + limit + ") must be above 0");
        }
    }

    /** When the wait is over; null if nothing is waited for. */
    @Nullable
    Instant end(Job job) {
        Instant since = since(job);
        return since == null ? null : since.plus(limit);
    }

    /** From when the present wait counts; null if nothing is waited for. */
    static @Nullable Instant since(Job job) {
        Attempt attempt = job.attempt();
        Gang gang = job.holding().gang();
        if (attempt == null || gang == null || !RepairDecisions.awaitsRepair(job)) {
            return null;
        }
        return Stream.of(
                        attempt.course().decidedAt(),
                        gang.noticedAt(),
                        attempt.course().evidenceSince())
                .filter(since -> since != null)
                .max(Instant::compareTo)
                .orElse(null);
    }

    Job enforced(Job job, Instant now) {
        Instant end = end(job);
        return end == null || end.isAfter(now) ? job : RepairDecisions.givenUp(job, limit, now);
    }
}
