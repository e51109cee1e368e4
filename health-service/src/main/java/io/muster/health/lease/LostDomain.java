package io.muster.health.lease;

/**
 * What nodes that were lost at once have in common.
 *
 * @param target as holds and faults name it, such as {@code rack/r1}
 */
public record LostDomain(String target) {}
