package io.muster.contract.fault;

/** Which layer of tolerance answers for a fault: ranks restarted in place, a node replaced, a domain isolated, or none trusted. */
public enum FaultLayer {
    PROCESS,
    NODE,
    DOMAIN,
    CONTROL_PLANE,
    CHECKPOINT
}
