package io.muster.job.waste;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * So many GPUs of one node, held by the job.
 *
 * @param until null while they are held
 */
public record Held(int gpus, Instant since, @Nullable Instant until) {}
