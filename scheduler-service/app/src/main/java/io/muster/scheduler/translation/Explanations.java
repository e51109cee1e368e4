package io.muster.scheduler.translation;

import io.muster.contract.scheduling.Explanation;
import io.muster.contract.scheduling.NodeTally;
import io.muster.scheduling.placement.NodeCensus;

/** The core's explanation as others see it. Blockers travel as codes: their sentences name jobs of other tenants. */
public final class Explanations {

    private Explanations() {}

    public static Explanation published(io.muster.scheduling.explain.Explanation explanation) {
        return new Explanation(
                explanation.mainReason().name(),
                explanation.category().name(),
                explanation.blockers().stream()
                        .map(blocker -> blocker.reason().name())
                        .toList(),
                explanation.nodeTally().stream().map(Explanations::tally).toList(),
                explanation.numbers().byName(),
                explanation.sentence(),
                explanation.hint(),
                explanation.evaluatedAt());
    }

    private static NodeTally tally(NodeCensus.Count count) {
        return new NodeTally(
                count.reason().name(),
                count.nodes(),
                count.examples().stream().map(node -> node.value()).toList());
    }
}
