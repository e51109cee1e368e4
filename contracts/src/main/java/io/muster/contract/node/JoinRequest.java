package io.muster.contract.node;

/** First contact of a node: a one-time token made by an administrator, and its facts. */
public record JoinRequest(String joinToken, NodeFacts facts) {}
