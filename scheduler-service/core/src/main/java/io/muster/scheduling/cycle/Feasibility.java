package io.muster.scheduling.cycle;

import io.muster.scheduling.cluster.ClusterView;
import io.muster.scheduling.cluster.Demand;
import io.muster.scheduling.explain.Explainer;
import io.muster.scheduling.explain.Explanation;
import io.muster.scheduling.explain.GangSurvey;
import io.muster.scheduling.explain.PendingReason;
import io.muster.scheduling.gang.GangRequest;
import io.muster.scheduling.placement.GangPlacer;
import io.muster.scheduling.placement.Placement;
import io.muster.scheduling.quota.QueuePath;
import java.time.Instant;

/**
 * Could this gang ever run, and could it start now? Answered before a job exists, by the code that decides. "Never" is
 * said only against the whole registered cluster, held and used nodes included, and the quota limits; while no node or no
 * quota tree is known nothing is said.
 */
public sealed interface Feasibility {

    /** It would be placed so if it were submitted now and nobody stood before it. */
    record CanStartNow(Placement placement) implements Feasibility {}

    record CanFitLater(Explanation explanation) implements Feasibility {}

    record NeverFits(Explanation explanation) implements Feasibility {}

    /** Too little is known to say never. */
    record Unknown(Explanation explanation) implements Feasibility {}

    static Feasibility check(ClusterView view, GangRequest request, QueuePath queue, Instant now) {
        GangSurvey survey = GangSurvey.of(view, request);
        Explanation why = Explainer.explain(view, new Demand(queue, 0, false, 0, request), null, survey, now);
        if (survey.census().registered() == 0
                || (view.quotaTree().version() == 0 && view.quotaTree().size() == 0)) {
            return new Unknown(why);
        }
        if (why.mainReason().permanent()) {
            return new NeverFits(why);
        }
        return why.mainReason() == PendingReason.NOT_EVALUATED_YET
                ? new CanStartNow(GangPlacer.place(view, request, now).orElseThrow())
                : new CanFitLater(why);
    }
}
