package io.muster.contract.agent;

import io.muster.contract.id.NodeId;

/** One node of the gang as its peers see it. */
public record GangMember(int nodeRank, NodeId node, String address, int port) {}
