package io.muster.contract.checkpoint;

import io.muster.contract.id.CheckpointId;
import org.jspecify.annotations.Nullable;

/**
 * @param checkpointId null if refused
 * @param refusal why not, with numbers; null if reserved
 * @param retryable the same request may succeed a little later
 */
public record ReserveAnswer(
        @Nullable CheckpointId checkpointId, @Nullable String refusal, boolean retryable) {}
