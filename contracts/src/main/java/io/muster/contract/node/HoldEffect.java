package io.muster.contract.node;

/** What a hold forbids, mildest first; placement obeys the union of all. Only EVICT wounds a gang. */
public enum HoldEffect {
    NO_NEW_WORK,
    SMALL_ONLY,
    DRAIN,
    EVICT
}
