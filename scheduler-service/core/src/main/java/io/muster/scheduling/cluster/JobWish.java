package io.muster.scheduling.cluster;

/** What a job wants of the scheduler now. */
public enum JobWish {
    /** A placement newer than the one it has taken notice of. */
    PLACEMENT,
    /** To keep what it holds: a wounded gang is repaired, but without a gang it is not placed. */
    KEEPING,
    /** Nothing now; it may want a placement later. */
    NOTHING,
    /** It has ended; what it holds is freed member by member. */
    ENDED
}
