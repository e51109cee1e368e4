package io.muster.contract.node;

/** The state of a node, derived from its holds: the worst open cause, never the last event. */
public enum NodeCondition {
    HEALTHY,
    SUSPECT,
    QUARANTINED,
    DRAINING,
    REPAIRING,
    VALIDATING,
    PROBATION,
    RETIRED
}
