package io.muster.job.waste;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One attempt's life, as far as GPU time is concerned.
 *
 * @param trainingSince when it had begun to train; null if it never did, or not yet
 * @param brokenAt when it stopped training; null while it goes on
 * @param endedAt when nothing of it was left; null while something is
 * @param goesOn the job is to go on after it: what it takes to clear it away belongs to the recovery
 * @param stallMillis for how long checkpoints have kept its training waiting
 * @param wentBackTo the moment to whose state it returned: of the checkpoint that it restored, or before everything if it
 *     began anew; null while that is not known
 */
public record AttemptSpan(
        int attempt,
        Instant startedAt,
        @Nullable Instant trainingSince,
        @Nullable Instant brokenAt,
        @Nullable Instant endedAt,
        boolean goesOn,
        long stallMillis,
        @Nullable Instant wentBackTo) {

    /** Of an attempt that began anew: nothing from before was kept. */
    public static final Instant FROM_THE_BEGINNING = Instant.EPOCH;
}
