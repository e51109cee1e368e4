package io.muster.contract.scheduling;

/** NEVER_FITS is said only against the whole cluster, held nodes included. */
public enum FeasibilityVerdict {
    CAN_START_NOW,
    CAN_START_LATER,
    NEVER_FITS,
    UNKNOWN
}
