package io.muster.job.lifecycle;

import io.muster.contract.job.JobPhase;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How long a job that waits for nodes may shun some of them. Shunning bridges the moment until the scheduler knows of the
 * hold that health-service has opened; the hold is what keeps work off a bad node, so a job never starves by its own
 * list: after a minute in which no others were found it shuns none of those that it has shunned for that long, and a
 * failed start is forgotten after the limit in any case. What becomes of a node before that, its own states tell. While
 * the gang waits for a repair, its nodes under an EVICT hold stay on the list; that wait has an end of its own. A job that
 * waits for nothing is not woken for this: the list matters when nodes are looked for.
 */
record Shunning(Duration limit) {

    /** So long a job waits for other nodes than those that it shuns. */
    static final Duration PATIENCE = Duration.ofMinutes(1);

    Shunning {
        if (limit.compareTo(Duration.ZERO) <= 0) {
            throw new IllegalArgumentException("muster.job.shun-time (" + limit + ") must be above 0");
        }
    }

    /** When the next of its shunned nodes is to be forgotten; null if it does not wait or shuns none. */
    @Nullable
    Instant end(Job job) {
        Instant waitsSince = waitsSince(job);
        return waitsSince == null
                ? null
                : job.holding().shunned().stream()
                        .filter(one -> !heldInRepair(job, one))
                        .map(one -> end(one, waitsSince))
                        .min(Instant::compareTo)
                        .orElse(null);
    }

    Job enforced(Job job, Instant now) {
        Instant waitsSince = waitsSince(job);
        return waitsSince == null
                ? job
                : job.with(job.holding()
                        .forgetting(one ->
                                !heldInRepair(job, one) && !end(one, waitsSince).isAfter(now)));
    }

    private static boolean heldInRepair(Job job, Shunned one) {
        Gang gang = job.holding().gang();
        return job.phase() == JobPhase.RECOVERING
                && one.wasLost()
                && gang != null
                && gang.held().contains(one.node());
    }

    private Instant end(Shunned one, Instant waitsSince) {
        Instant later = one.since().isAfter(waitsSince) ? one.since() : waitsSince;
        Instant patient = later.plus(PATIENCE);
        Instant latest = one.since().plus(limit);
        return one.wasLost() || patient.isBefore(latest) ? patient : latest;
    }

    /** From when it has been looking for nodes: for all of them, or for those that replace lost ones. */
    private static @Nullable Instant waitsSince(Job job) {
        return switch (job.phase()) {
            case QUEUED -> job.status().since();
            case RECOVERING -> RepairWait.since(job);
            case STARTING, RUNNING, SUSPENDED, STOPPING, SUCCEEDED, FAILED, CANCELLED -> null;
        };
    }
}
