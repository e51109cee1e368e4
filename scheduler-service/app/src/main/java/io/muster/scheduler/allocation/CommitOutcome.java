package io.muster.scheduler.allocation;

import io.muster.contract.placement.PlacementState;
import java.util.List;

/** What became of a {@link Commit}. */
public sealed interface CommitOutcome {

    /** Every allocation touched, as it now is; a job whose gang was released and placed again appears twice, in order. */
    record Committed(List<PlacementState> states) implements CommitOutcome {

        public Committed {
            states = List.copyOf(states);
        }
    }

    /** Another instance leads; nothing was written. */
    record Fenced() implements CommitOutcome {}
}
