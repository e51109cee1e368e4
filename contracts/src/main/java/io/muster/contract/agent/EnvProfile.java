package io.muster.contract.agent;

/** Which environment a rank gets: every rank started by the agent, or one torchrun a node. */
public enum EnvProfile {
    DIRECT,
    TORCHRUN
}
