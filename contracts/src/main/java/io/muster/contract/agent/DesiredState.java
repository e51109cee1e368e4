package io.muster.contract.agent;

import java.util.List;

/**
 * All that shall be on a node; level-triggered. An agent obeys only its own cluster and incarnation and only a revision
 * at least as high as the last; an attempt that is missing here is never an order to kill it.
 *
 * @param incarnation made with job-service's database; {@code down} and {@code up} keep it
 */
public record DesiredState(String clusterId, String incarnation, long revision, List<Assignment> assignments) {

    public DesiredState {
        assignments = List.copyOf(assignments);
    }
}
