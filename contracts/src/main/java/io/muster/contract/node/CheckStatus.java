package io.muster.contract.node;

/** Outcome of a check. UNKNOWN (it could not run) is never a pass. */
public enum CheckStatus {
    PASS,
    WARN,
    FAIL,
    SKIPPED,
    UNKNOWN
}
