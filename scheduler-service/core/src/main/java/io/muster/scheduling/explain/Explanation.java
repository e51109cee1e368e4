package io.muster.scheduling.explain;

import io.muster.scheduling.placement.NodeCensus;
import java.time.Instant;
import java.util.List;

/**
 * Why a job does not run, from the decision itself.
 *
 * @param blockers what else stands in the way, in order of precedence
 * @param nodeTally nodes that cannot be a member, by reason, most first
 * @param sentence for a person, with the numbers
 * @param hint what the person can do
 */
public record Explanation(
        PendingReason mainReason,
        List<Blocker> blockers,
        List<NodeCensus.Count> nodeTally,
        ExplanationNumbers numbers,
        String sentence,
        String hint,
        Instant evaluatedAt) {

    public Explanation {
        blockers = List.copyOf(blockers);
        nodeTally = List.copyOf(nodeTally);
    }

    public ReasonCategory category() {
        return mainReason.category();
    }
}
