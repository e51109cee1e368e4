package io.muster.scheduling.explain;

/** Who can do something about it. */
public enum ReasonCategory {
    WAIT,
    CHANGE_REQUEST,
    ASK_ADMIN,
    PLATFORM
}
