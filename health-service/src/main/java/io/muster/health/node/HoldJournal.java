package io.muster.health.node;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Told inside the transaction in which the holds of nodes change, so that what follows from them is written with them. */
@FunctionalInterface
public interface HoldJournal {

    /**
     * One node's change.
     *
     * @param before with the holds as they were
     * @param after with the holds as they are written
     */
    record Change(NodeRecord before, NodeRecord after) {}

    /**
     * An exception undoes what the journal wrote, and nothing else: holds never wait for their story.
     *
     * @param wellUntil when all was last known to be well, if that is known
     */
    void changed(List<Change> changes, @Nullable Instant wellUntil, String because, Instant now);
}
