package io.muster.contract.node;

/** Where a node stands: the name of its domain at every level above itself. */
public record NodeDomains(String rack, String power, String pod, String cluster) {}
