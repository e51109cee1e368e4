package io.muster.contract.agent;

/** Where rank 0 listens; its agent chose the port for this attempt. */
public record Rendezvous(String masterAddress, int masterPort) {}
