package io.muster.edge.stream;

/**
 * Something has changed.
 *
 * @param number higher than that of every change that could be seen before it
 * @param item what it was when it was read: as of this change or later, never earlier
 */
public record Change<T>(long number, String key, T item) {}
