package io.muster.contract.fault;

/** Every fault that opens is resolved once; in between it may be told of again, with more known. */
public enum FaultStatus {
    OPEN,
    RESOLVED
}
