package io.muster.health.node;

/**
 * Checked inside the transaction of a write: a judge that was replaced meanwhile must not write. Throws when the writer
 * may no longer write.
 */
@FunctionalInterface
public interface Fence {

    /** For writes that every instance may make, such as those that people ask for. */
    Fence NONE = () -> {};

    void require();
}
