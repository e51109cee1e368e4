package io.muster.contract.agent;

import java.util.List;

/**
 * What a node has, in answer to its desired state; whole, so a lost report is made good by the next.
 *
 * @param acknowledgedRevision the revision that the agent has taken in
 */
public record NodeReport(long session, String incarnation, long acknowledgedRevision, List<AttemptReport> attempts) {

    public NodeReport {
        attempts = List.copyOf(attempts);
    }
}
