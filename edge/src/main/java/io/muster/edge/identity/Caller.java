package io.muster.edge.identity;

/**
 * Who sent the request, proven by its token. A controller takes the kind it serves as a parameter; the filter chain has
 * already made sure that no other kind reaches its path.
 */
public sealed interface Caller permits UserCaller, NodeCaller, ServiceCaller {}
