package io.muster.contract.checkpoint;

import io.muster.contract.id.CheckpointId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * @param checkpointId what to restore; null unless RESTORED
 * @param step the step it was taken after; 0 unless RESTORED
 * @param shards one per rank; empty unless RESTORED
 * @param message why, with ids and numbers
 */
public record RestoreDecision(
        RestoreVerdict verdict,
        @Nullable CheckpointId checkpointId,
        long step,
        List<StoredShard> shards,
        String message) {

    public RestoreDecision {
        shards = List.copyOf(shards);
    }
}
