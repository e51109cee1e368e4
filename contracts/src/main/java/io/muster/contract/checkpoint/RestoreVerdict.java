package io.muster.contract.checkpoint;

/** From where an attempt starts; unknown is never FRESH. */
public enum RestoreVerdict {
    RESTORED,
    FRESH,
    REFUSED
}
