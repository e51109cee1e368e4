package io.muster.scheduling.cycle;

import io.muster.scheduling.cluster.Attention;
import io.muster.scheduling.cluster.ClusterRecord;
import io.muster.scheduling.cluster.ClusterRecord.GangPlaced;
import io.muster.scheduling.cluster.ClusterRecord.GangRepaired;
import io.muster.scheduling.cluster.ClusterView;
import io.muster.scheduling.cluster.Demand;
import io.muster.scheduling.cluster.GangAllocation;
import io.muster.scheduling.cluster.KnownJob;
import io.muster.scheduling.cluster.LineEntry;
import io.muster.scheduling.cluster.OrderedMap;
import io.muster.scheduling.cluster.WorkingCopy;
import io.muster.scheduling.explain.Explainer;
import io.muster.scheduling.explain.Explanation;
import io.muster.scheduling.explain.GangSurvey;
import io.muster.scheduling.explain.RepairExplainer;
import io.muster.scheduling.gang.GangRequest;
import io.muster.scheduling.gang.JobId;
import io.muster.scheduling.placement.GangPlacer;
import io.muster.scheduling.placement.Placement;
import io.muster.scheduling.placement.RepairSurvey;
import io.muster.scheduling.quota.QuotaVerdict;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Decides first the wounded gangs, then the waiting jobs, each in order of the line: priority, requeued gangs before their
 * peers, then submission. A repair asks no quota, because the place of a lost member was kept; all its lost members are
 * replaced or none. For a waiting job quota is asked first, at every ancestor, then a place for the whole gang. A job that
 * cannot start does not stop those behind it.
 *
 * <p>Only jobs whose chances may have risen are decided again: all after room appeared or the quota tree changed, else
 * those that changed themselves. Within a cycle room only shrinks, so a request that was refused once is refused for all
 * that ask for the same. With nothing new a cycle costs nothing.
 */
public final class SchedulingCycle {

    private final int placementsPerCycle;

    /** At most so many placements per call, so that one commit stays small; the rest is decided by the next call. */
    public SchedulingCycle(int placementsPerCycle) {
        if (placementsPerCycle < 1) {
            throw new IllegalArgumentException(placementsPerCycle + " placements per cycle; at least 1 is needed");
        }
        this.placementsPerCycle = placementsPerCycle;
    }

    /**
     * One decision for each job looked at, repairs first. Placements and repairs are applied to the copy; publish or roll
     * back afterwards.
     */
    public List<Decision> decide(WorkingCopy copy, Instant now) {
        Attention attention = copy.takeAttention();
        if (attention.none()) {
            return List.of();
        }
        List<Decision> decisions = new ArrayList<>();
        int changes = 0;
        for (KnownJob job : toDecide(copy, attention, copy.repairable(), copy::placeAmongRepairs)) {
            changes += note(copy, repair(copy, job, now), decisions);
            if (changes == placementsPerCycle) {
                copy.returnAttention(attention);
                return decisions;
            }
        }
        Map<GangRequest, GangSurvey> surveys = new HashMap<>();
        for (KnownJob job : toDecide(copy, attention, copy.waiting(), copy::placeInLine)) {
            changes += note(copy, decide(copy, job, surveys, now), decisions);
            if (changes == placementsPerCycle) {
                copy.returnAttention(attention);
                return decisions;
            }
        }
        return decisions;
    }

    /** 1 if the decision changed the copy. */
    private static int note(WorkingCopy copy, Decision decision, List<Decision> decisions) {
        decisions.add(decision);
        return switch (decision) {
            case Decision.Placed placed -> applied(copy, placed.record());
            case Decision.Repaired repaired -> applied(copy, repaired.record());
            case Decision.Unrepaired unrepaired -> 0;
            case Decision.Waiting waiting -> 0;
            case Decision.Impossible impossible -> 0;
        };
    }

    private static int applied(WorkingCopy copy, ClusterRecord record) {
        copy.apply(record);
        return 1;
    }

    private static List<KnownJob> toDecide(
            ClusterView view,
            Attention attention,
            OrderedMap<LineEntry, KnownJob> line,
            Function<JobId, Optional<LineEntry>> placeIn) {
        if (attention.all()) {
            List<KnownJob> jobs = new ArrayList<>(line.size());
            for (Map.Entry<LineEntry, KnownJob> entry : line) {
                jobs.add(entry.getValue());
            }
            return jobs;
        }
        TreeMap<LineEntry, KnownJob> jobs = new TreeMap<>();
        for (JobId job : attention.jobs()) {
            placeIn.apply(job).ifPresent(place -> jobs.put(place, view.job(job).orElseThrow()));
        }
        return List.copyOf(jobs.values());
    }

    private static Decision repair(ClusterView view, KnownJob job, Instant now) {
        GangAllocation gang = view.allocation(job.job()).orElseThrow();
        RepairSurvey survey = RepairSurvey.of(view, gang, job.demand().gang());
        return survey.plan(view, now)
                .<Decision>map(plan -> new Decision.Repaired(
                        new GangRepaired(job.job(), view.lastGeneration(job.job()) + 1, plan.members()), plan))
                .orElseGet(() -> new Decision.Unrepaired(job.job(), RepairExplainer.explain(survey, now)));
    }

    private static Decision decide(ClusterView view, KnownJob job, Map<GangRequest, GangSurvey> surveys, Instant now) {
        Demand demand = job.demand();
        GangRequest gang = demand.gang();
        @Nullable GangSurvey survey = surveys.get(gang);
        if ((survey == null || survey.fitsNow())
                && view.quotaVerdict(demand.queue(), gang.gpus()) instanceof QuotaVerdict.Granted) {
            Optional<Placement> place = GangPlacer.place(view, gang, now);
            if (place.isPresent()) {
                return placed(view, job, place.get());
            }
            survey = null;
        }
        if (survey == null) {
            survey = GangSurvey.of(view, gang);
            surveys.put(gang, survey);
        }
        LineEntry line = view.placeInLine(job.job()).orElseThrow();
        Explanation why = Explainer.explain(view, demand, line, survey, now);
        return why.mainReason().permanent()
                ? new Decision.Impossible(job.job(), why)
                : new Decision.Waiting(job.job(), why);
    }

    private static Decision placed(ClusterView view, KnownJob job, Placement place) {
        return new Decision.Placed(
                new GangPlaced(
                        job.job(),
                        view.lastGeneration(job.job()) + 1,
                        job.demand().queue(),
                        place.members()),
                place);
    }
}
