package io.muster.messaging;

/**
 * What a subscription does with an event. Both methods run on the subscription's own thread, for one key in the order of
 * rising sequence. An instance sees only the partitions it holds.
 */
@FunctionalInterface
public interface EventHandler<T> {

    /**
     * Runs inside the consumer's transaction, only for a sequence above any applied for this subscription and key. It
     * may run again for the same event when the transaction did not commit, so it has no effect outside the database.
     * An exception other than a failure of the infrastructure parks the key.
     */
    void apply(EventMetadata metadata, T data);

    /**
     * Runs after the transaction committed: the place to change an image in memory. It is not repeated after a crash:
     * the image is rebuilt from the database at start. An exception parks the key.
     */
    default void committed(EventMetadata metadata, T data) {}
}
