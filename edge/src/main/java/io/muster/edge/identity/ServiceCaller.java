package io.muster.edge.identity;

/**
 * Another service.
 *
 * @param service its name without {@code -service}, such as {@code job}
 */
public record ServiceCaller(String service) implements Caller {}
