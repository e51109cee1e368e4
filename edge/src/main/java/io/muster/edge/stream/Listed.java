package io.muster.edge.stream;

import java.util.List;
import java.util.Optional;

/** A list that can be streamed to one caller. It decides what this caller may see. */
public interface Listed<T> {

    /** The present state, in the order in which it is told. */
    List<Event> now();

    /** What a change means for this caller; empty if nothing. */
    Optional<Event> of(T changed);
}
