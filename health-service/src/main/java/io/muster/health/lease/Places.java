package io.muster.health.lease;

import io.muster.contract.id.NodeId;
import java.util.Optional;

/** Knows where nodes stand, from memory: asked in the middle of a sweep. */
@FunctionalInterface
public interface Places {

    /** Empty for a node of which only the lease is known. */
    Optional<Place> placeOf(NodeId node);
}
