package io.muster.messaging;

/** The two instants of the relay at which a crash or a pause matters. */
interface RelayProbe {

    RelayProbe NONE = new RelayProbe() {};

    /** Events are read and not yet sent. */
    default void read() {}

    /** The broker has them and the outbox does not know it yet. */
    default void acknowledged() {}
}
