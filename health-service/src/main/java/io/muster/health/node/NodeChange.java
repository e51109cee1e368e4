package io.muster.health.node;

import java.time.Instant;
import java.util.function.Supplier;

/** A pure change of a node; it may be asked again when the transaction has to be repeated. */
@FunctionalInterface
public interface NodeChange {

    /** The record after the change; the same one if nothing changes. */
    NodeRecord apply(NodeRecord before, Supplier<String> newHoldId, Instant now);
}
