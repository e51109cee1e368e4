package io.muster.contract.job;

/** Levels of the topology, tightest first. */
public enum DomainType {
    NODE,
    RACK,
    POWER,
    POD,
    CLUSTER
}
