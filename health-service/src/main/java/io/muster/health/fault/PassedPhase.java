package io.muster.health.fault;

import io.muster.contract.id.JobId;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A phase of a recovery that is over.
 *
 * @param job whose recovery; null for the fault's own, DETECTED
 */
record PassedPhase(@Nullable JobId job, Phase phase, Instant at, double seconds) {

    /** The phases in their order. Shards are verified in the preflight, so RESTORED is over with it. */
    enum Phase {
        DETECTED,
        DECIDED,
        PLACED,
        PREFLIGHT,
        RESTORED,
        RUNNING,
        FIRST_STEP
    }

    /** Clocks of two services may differ: a phase is never over before its fault began. */
    static PassedPhase of(@Nullable JobId job, Phase phase, Instant at, Instant firstSeenAt) {
        long millis = Math.max(0, Duration.between(firstSeenAt, at).toMillis());
        return new PassedPhase(job, phase, at, millis / 1000.0);
    }
}
