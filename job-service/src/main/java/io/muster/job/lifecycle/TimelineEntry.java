package io.muster.job.lifecycle;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One span of a job's life.
 *
 * @param attempt the newest attempt then; 0 before the first
 * @param until null while it lasts
 */
public record TimelineEntry(
        String state,
        String reason,
        String message,
        int attempt,
        int generation,
        Instant since,
        @Nullable Instant until) {}
