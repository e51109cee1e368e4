package io.muster.checkpoint.catalog;

import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.id.CheckpointId;
import org.jspecify.annotations.Nullable;

/**
 * What an attempt was told to start from.
 *
 * @param checkpointId null unless RESTORED
 * @param step 0 unless RESTORED
 * @param newer the newest commit, if the start is older than it; null if nothing that was committed is passed over
 */
record AttemptStart(
        int attempt,
        int worldSize,
        String resumeFrom,
        RestoreVerdict verdict,
        @Nullable CheckpointId checkpointId,
        long step,
        @Nullable CheckpointId newer,
        String message) {}
