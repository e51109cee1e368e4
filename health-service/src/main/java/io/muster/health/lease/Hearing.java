package io.muster.health.lease;

/** What a heartbeat means for its node's lease. */
public enum Hearing {
    /** The lease begins anew. */
    ALIVE,
    /** Doubled or overtaken: it proves nothing about now. */
    REPEATED,
    /** Its session is over; the agent registers again. */
    ENDED,
    /** No lease is known for this session: look into the registry. */
    UNKNOWN
}
