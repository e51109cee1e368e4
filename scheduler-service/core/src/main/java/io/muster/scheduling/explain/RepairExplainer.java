package io.muster.scheduling.explain;

import io.muster.scheduling.cluster.ClusterView;
import io.muster.scheduling.cluster.GangAllocation;
import io.muster.scheduling.cluster.Member;
import io.muster.scheduling.gang.JobId;
import io.muster.scheduling.placement.NodeCensus;
import io.muster.scheduling.placement.RepairSurvey;
import io.muster.scheduling.placement.goal.NodeRefusal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Says why a wounded gang is not whole yet: how many it lost, how many nodes could replace them, why the others cannot.
 * If enough could, it has only not been decided yet.
 */
public final class RepairExplainer {

    private RepairExplainer() {}

    /** Empty for a job without a gang to be repaired. */
    public static Optional<Explanation> explain(ClusterView view, JobId job, Instant now) {
        return view.placeAmongRepairs(job).map(place -> {
            GangAllocation gang = view.allocation(job).orElseThrow();
            return explain(
                    RepairSurvey.of(
                            view, gang, view.job(job).orElseThrow().demand().gang()),
                    now);
        });
    }

    public static Explanation explain(RepairSurvey survey, Instant now) {
        boolean fits = survey.fitsNow();
        return new Explanation(
                fits ? PendingReason.NOT_EVALUATED_YET : PendingReason.WAITING_FOR_REPLACEMENT,
                fits ? List.of() : blockers(survey),
                survey.counts(),
                numbers(survey),
                sentence(survey),
                fits ? "Wait a moment: it is repaired in the next cycle." : hint(survey),
                now);
    }

    private static String sentence(RepairSurvey survey) {
        GangAllocation gang = survey.gang();
        String lost = gang.lost().stream().map(member -> member.node().value()).collect(Collectors.joining(", "));
        String others = survey.counts().isEmpty() ? "" : "; " + GangWords.tally(survey.counts());
        return "The gang of " + GangWords.gang(survey.request()) + GangWords.shape(survey.request()) + " lost "
                + GangWords.count(gang.lost().size(), "node") + " (" + lost + ") and keeps "
                + gang.members().size() + "; " + survey.chosen().size() + " of "
                + gang.lost().size()
                + " can be replaced now. Of " + GangWords.count(survey.registered(), "registered node") + " "
                + survey.fitting() + (survey.fitting() == 1 ? " fits" : " fit") + " (" + survey.fittingSpares() + " of "
                + GangWords.count(survey.spares(), "spare") + ")" + others + ".";
    }

    private static String hint(RepairSurvey survey) {
        List<NodeCensus.Count> ill = CapacityBlockers.ill(survey.counts());
        String cordons = ill.isEmpty() ? "" : ", or bring nodes back by lifting their cordons: " + GangWords.tally(ill);
        return "It is repaired as soon as enough nodes fit. Ask an administrator to mark spares"
                + " (PUT /api/v1/nodes/{node}/spare), which new jobs cannot take" + cordons
                + ". If nothing comes in time, the gang is released and placed anew whole, ahead of its peers.";
    }

    private static List<Blocker> blockers(RepairSurvey survey) {
        List<Blocker> found = new ArrayList<>();
        int busy = survey.refused(NodeRefusal.NOT_ENOUGH_FREE_GPUS);
        if (busy > 0) {
            found.add(new Blocker(
                    PendingReason.WAITING_FOR_GPUS,
                    GangWords.count(busy, "node") + " " + NodeRefusal.NOT_ENOUGH_FREE_GPUS.words(busy) + ".",
                    "Wait until running jobs release GPUs."));
        }
        List<NodeCensus.Count> ill = CapacityBlockers.ill(survey.counts());
        if (!ill.isEmpty()) {
            found.add(new Blocker(
                    PendingReason.WAITING_FOR_HEALTHY_NODES,
                    GangWords.tally(ill) + ".",
                    "Wait until nodes are back in service, or lift their cordons."));
        }
        return found;
    }

    private static ExplanationNumbers numbers(RepairSurvey survey) {
        GangAllocation gang = survey.gang();
        return new ExplanationNumbers(
                survey.request().nodes(),
                gang.lost().stream().mapToLong(Member::gpuCount).sum(),
                survey.registered(),
                survey.freeGpus(),
                survey.freeGpus(),
                survey.fitting(),
                survey.spares(),
                List.of(),
                null,
                null,
                new RepairNumbers(
                        gang.members().size(),
                        gang.lost().size(),
                        survey.chosen().size(),
                        survey.fittingSpares()));
    }
}
