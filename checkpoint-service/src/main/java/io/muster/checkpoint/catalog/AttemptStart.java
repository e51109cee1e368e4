package io.muster.checkpoint.catalog;

import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.id.CheckpointId;
import org.jspecify.annotations.Nullable;

/**
 * What an attempt was told to start from.
 *
 * @param checkpointId null unless RESTORED
 * @param step 0 unless RESTORED
 */
record AttemptStart(
        int attempt,
        int worldSize,
        String resumeFrom,
        RestoreVerdict verdict,
        @Nullable CheckpointId checkpointId,
        long step,
        String message) {}
