package io.muster.scheduler.visibility;

import io.muster.contract.job.GangRequest;
import io.muster.contract.scheduling.Explanation;
import io.muster.contract.scheduling.FeasibilityAnswer;
import io.muster.contract.scheduling.FeasibilityRequest;
import io.muster.contract.scheduling.FeasibilityVerdict;
import io.muster.scheduler.cycle.Published;
import io.muster.scheduler.translation.Explanations;
import io.muster.scheduler.translation.JobRecords;
import io.muster.scheduling.cycle.Feasibility;
import io.muster.scheduling.quota.QueuePath;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * Could this gang ever run, and could it start now? Judged on the published image by the code that decides. Until an
 * image is loaded and a node is known nothing is judged; a gang that the scheduler cannot even express never fits.
 */
final class FeasibilityCheck {

    private FeasibilityCheck() {}

    static FeasibilityAnswer of(Published published, FeasibilityRequest request, Instant now) {
        if (!published.knowsNodes()) {
            return new FeasibilityAnswer(FeasibilityVerdict.UNKNOWN, unknown(published, now));
        }
        io.muster.scheduling.gang.GangRequest gang;
        try {
            gang = JobRecords.gang(request.gang(), List.of());
        } catch (IllegalArgumentException e) {
            return new FeasibilityAnswer(
                    FeasibilityVerdict.NEVER_FITS, inexpressible(request.gang(), String.valueOf(e.getMessage()), now));
        }
        QueuePath queue = new QueuePath(request.queue().value());
        return switch (Feasibility.check(published.image(), gang, queue, now)) {
            case Feasibility.CanStartNow _ -> new FeasibilityAnswer(FeasibilityVerdict.CAN_START_NOW, null);
            case Feasibility.CanFitLater later -> answer(FeasibilityVerdict.CAN_START_LATER, later.explanation());
            case Feasibility.NeverFits never -> answer(FeasibilityVerdict.NEVER_FITS, never.explanation());
            case Feasibility.Unknown unknown -> answer(FeasibilityVerdict.UNKNOWN, unknown.explanation());
        };
    }

    private static FeasibilityAnswer answer(FeasibilityVerdict verdict, io.muster.scheduling.explain.Explanation why) {
        return new FeasibilityAnswer(verdict, Explanations.published(why));
    }

    private static Explanation unknown(Published published, Instant now) {
        return new Explanation(
                "NOT_EVALUATED_YET",
                "PLATFORM",
                List.of(),
                List.of(),
                Map.of("registeredNodes", 0L),
                published.loaded()
                        ? "No node has joined the cluster yet, so nothing can be said about this gang."
                        : "The scheduler is still loading the cluster, so nothing can be said about this gang.",
                "Submit it anyway: it is judged as soon as nodes are known.",
                now);
    }

    private static Explanation inexpressible(GangRequest gang, String why, Instant now) {
        return new Explanation(
                "INVALID_REQUEST",
                "CHANGE_REQUEST",
                List.of(),
                List.of(),
                Map.of("requestedNodes", (long) gang.nodes(), "requestedGpusPerNode", (long) gang.gpusPerNode()),
                "No placement can be looked for: " + why + ".",
                "Change the request.",
                now);
    }
}
