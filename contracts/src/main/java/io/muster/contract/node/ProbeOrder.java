package io.muster.contract.node;

import io.muster.contract.id.NodeId;

/** An order to an arbiter: connect to these agents and say what happened. */
public record ProbeOrder(String probeId, NodeId target, String address, int port) {}
