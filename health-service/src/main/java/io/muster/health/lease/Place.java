package io.muster.health.lease;

import io.muster.contract.node.NodeDomains;

/** Where a node stands and where its agent answers. */
public record Place(NodeDomains domains, String address, int port) {}
