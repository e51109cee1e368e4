package io.muster.agent.checkpoint;

import java.util.OptionalInt;

/**
 * What is tried again by itself.
 *
 * @param rank empty if the work is for all ranks here
 */
record WorkItem(long step, OptionalInt rank) {

    @Override
    public String toString() {
        return "step " + step + (rank.isPresent() ? " rank " + rank.getAsInt() : "");
    }
}
