package io.muster.edge.identity;

import io.muster.contract.id.NodeId;

/** The agent of a node; the node in the path is this one. */
public record NodeCaller(NodeId node) implements Caller {}
