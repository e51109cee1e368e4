package io.muster.scheduling.explain;

import io.muster.scheduling.cluster.ClusterView;
import io.muster.scheduling.cluster.Demand;
import io.muster.scheduling.cluster.LineEntry;
import io.muster.scheduling.gang.JobId;
import io.muster.scheduling.quota.QuotaVerdict;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Says why a gang does not run: all that stands in its way, the main reason by the precedence of {@link PendingReason}.
 * If nothing does, it has only not been decided yet. Decisions, queries and feasibility all get their explanation here.
 */
public final class Explainer {

    private Explainer() {}

    /** Empty for a job that does not wait. */
    public static Optional<Explanation> explain(ClusterView view, JobId job, Instant now) {
        return view.placeInLine(job).map(place -> {
            Demand demand = view.job(job).orElseThrow().demand();
            return explain(view, demand, place, GangSurvey.of(view, demand.gang()), now);
        });
    }

    /** For a demand with a place in line, or null for one that is only asked about. */
    public static Explanation explain(
            ClusterView view, Demand demand, @Nullable LineEntry place, GangSurvey survey, Instant now) {
        QuotaVerdict verdict = view.quotaVerdict(demand.queue(), demand.gang().gpus());
        @Nullable LinePosition line = place == null ? null : LinePosition.of(view, place);
        List<Blocker> found = new ArrayList<>();
        QuotaBlockers.of(view, verdict).ifPresent(found::add);
        CapacityBlockers.of(survey).forEach(found::add);
        if (line != null && line.position() > 1) {
            found.add(behind(line));
        }
        if (found.stream().allMatch(blocker -> blocker.reason() == PendingReason.BEHIND_HIGHER_PRIORITY)) {
            found.add(0, undecided(view, verdict));
        } else {
            found.sort((left, right) -> left.reason().compareTo(right.reason()));
        }
        Blocker main = found.getFirst();
        return new Explanation(
                main.reason(),
                found.subList(1, found.size()),
                survey.census().counts(),
                numbers(demand, survey, verdict, line),
                main.sentence(),
                main.hint(),
                now);
    }

    private static Blocker behind(LinePosition line) {
        return new Blocker(
                PendingReason.BEHIND_HIGHER_PRIORITY,
                "It is number " + line.position() + " in line; " + GangWords.count(line.gpusAhead(), "GPU")
                        + " are asked for ahead of it, first by " + line.firstAhead() + ".",
                "Jobs ahead that cannot start do not stop it; a higher priority moves it forward.");
    }

    private static Blocker undecided(ClusterView view, QuotaVerdict verdict) {
        if (verdict instanceof QuotaVerdict.TreeUnknown) {
            return new Blocker(
                    PendingReason.NOT_EVALUATED_YET,
                    "The quota tree has not been received yet, so nothing is placed.",
                    "Wait; if it lasts, ask an administrator whether quota-service runs.");
        }
        return new Blocker(
                PendingReason.NOT_EVALUATED_YET,
                "It could start now and is decided in the next cycle (image version "
                        + view.provenance().version() + ").",
                "Wait a moment.");
    }

    private static ExplanationNumbers numbers(
            Demand demand, GangSurvey survey, QuotaVerdict verdict, @Nullable LinePosition line) {
        return new ExplanationNumbers(
                demand.gang().nodes(),
                demand.gang().gpus(),
                survey.census().registered(),
                survey.census().freeGpus(),
                survey.census().freeGpusIfHealthy(),
                survey.census().fitting(),
                survey.census().spares(),
                survey.largestNow(),
                QuotaBlockers.numbers(verdict),
                line,
                null);
    }
}
