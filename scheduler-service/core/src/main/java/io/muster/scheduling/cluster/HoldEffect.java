package io.muster.scheduling.cluster;

/** What a hold forbids, mildest first; placement obeys the union of all on a node. */
public enum HoldEffect {
    NO_NEW_WORK,
    /** Only gangs of one node. */
    SMALL_ONLY,
    DRAIN,
    EVICT
}
