package io.muster.contract.agent;

/** What a node shall do for an attempt. RUN follows PREFLIGHT of the same attempt; STOP is final for it. */
public enum AssignmentAction {
    PREFLIGHT,
    RUN,
    STOP
}
