package io.muster.contract.agent;

/** How far a node is with an attempt, in this order. GONE: every process of the attempt has ended, none can come back. */
public enum MemberPhase {
    RECEIVED,
    PREFLIGHT,
    PREFLIGHT_PASSED,
    PREFLIGHT_FAILED,
    STARTING,
    RUNNING,
    EXITED,
    STOPPING,
    GONE
}
