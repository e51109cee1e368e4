package io.muster.checkpoint.catalog;

import io.muster.contract.checkpoint.CheckpointPhase;
import org.jspecify.annotations.Nullable;

/**
 * A checkpoint that an attempt may be restored from.
 *
 * @param gone which rank has no copy left and why; null if every rank has one
 */
record Candidate(Checkpoint checkpoint, @Nullable String gone) {

    /** Why it is passed over; null if it can be restored. */
    @Nullable
    String unusable() {
        if (checkpoint.phase() == CheckpointPhase.CORRUPT) {
            return "CORRUPT: " + checkpoint.reason();
        }
        return checkpoint.committed() ? gone : checkpoint.phase() + ", not COMMITTED";
    }
}
