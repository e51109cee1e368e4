package io.muster.simulation;

/** A deliberate fault in a shell, never in the code under test: the invariants must catch each. */
public enum Mutation {
    NONE,
    /** checkpoint-service takes what earlier attempts commit. */
    FENCE_IGNORED,
    /** A request to cancel counts as the word that all members are gone. */
    RELEASE_ON_CANCEL,
    /** An agent starts the next attempt beside the last one. */
    AGENT_DOES_NOT_WAIT,
    /** An agent says GONE as soon as it has sent the first signal. */
    GONE_TOO_EARLY,
    /** The scheduler's commits are not fenced by the epoch. */
    EPOCH_IGNORED,
    /** No answer from checkpoint-service counts as FRESH. */
    UNKNOWN_IS_FRESH,
    /** A restore is answered with an older commit than the newest. */
    STALE_CATALOGUE,
    /** job-service looks at no job by itself. */
    NEVER_LOOKS,
    /** Leases run out though heartbeats come. */
    DEAF_JUDGE
}
