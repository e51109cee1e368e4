package io.muster.contract.fault;

/** How loud a fault is, as pagers grade it: INFO nobody is woken, WARNING look today, ERROR work was touched, CRITICAL wake up. */
public enum FaultSeverity {
    INFO,
    WARNING,
    ERROR,
    CRITICAL
}
