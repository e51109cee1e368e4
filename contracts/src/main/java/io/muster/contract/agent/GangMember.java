package io.muster.contract.agent;

import io.muster.contract.id.NodeId;

/** One node of the gang as its peers see it; the rack is where its memory fails together with that of others. */
public record GangMember(int nodeRank, NodeId node, String address, int port, String rack) {}
