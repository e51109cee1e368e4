package io.muster.edge.stream;

/**
 * What a stream tells.
 *
 * @param name for the field {@code event}
 * @param data written as JSON
 */
public record Event(String name, Object data) {}
