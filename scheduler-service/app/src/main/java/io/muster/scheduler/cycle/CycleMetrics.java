package io.muster.scheduler.cycle;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.muster.contract.id.JobId;
import io.muster.contract.placement.PlacementState;
import io.muster.scheduler.allocation.Commit;
import io.muster.scheduler.translation.CoreIds;
import io.muster.scheduling.cluster.ClusterImage;
import io.muster.scheduling.cycle.Decision;
import io.muster.scheduling.explain.Explanation;
import io.muster.scheduling.explain.PendingReason;
import io.muster.scheduling.placement.NodeCensus;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Counts and logs what the cycles decide, and remembers the last reason of every job that was left waiting. */
@Component
public class CycleMetrics {

    private static final Logger LOG = LoggerFactory.getLogger(CycleMetrics.class);

    private final MeterRegistry registry;
    private final Timer cycles;
    private final Counter wounds;
    private final Counter repairs;
    private final Timer repairTimes;
    private final Map<JobId, PendingReason> reasons = new ConcurrentHashMap<>();

    CycleMetrics(MeterRegistry registry) {
        this.registry = registry;
        this.cycles = Timer.builder("muster.scheduling.cycle")
                .description("From the first decision of a cycle to its commit")
                .publishPercentileHistogram()
                .register(registry);
        this.wounds = Counter.builder("muster.gang.wounds")
                .description("Commits in which a gang lost members with their nodes")
                .register(registry);
        this.repairs = Counter.builder("muster.gang.repairs")
                .description("Wounded gangs made whole")
                .register(registry);
        this.repairTimes = Timer.builder("muster.gang.repair")
                .description("From a gang's first loss to its repair")
                .publishPercentileHistogram()
                .register(registry);
    }

    /** Empty for a job that no cycle of this process has refused since it was placed. */
    public Optional<PendingReason> lastReason(JobId job) {
        return Optional.ofNullable(reasons.get(job));
    }

    void time(Runnable cycle) {
        cycles.record(cycle);
    }

    void committed(List<Decision> decisions) {
        for (Decision decision : decisions) {
            switch (decision) {
                case Decision.Placed placed -> placed(placed);
                case Decision.Repaired repaired -> repaired(repaired);
                case Decision.Unrepaired not -> refused("unrepaired", not.job(), not.explanation());
                case Decision.Waiting waiting -> refused("waiting", waiting.job(), waiting.explanation());
                case Decision.Impossible never -> refused("impossible", never.job(), never.explanation());
            }
        }
    }

    void wounded(Commit commit) {
        for (Commit.Freeing freeing : commit.freeings()) {
            if (freeing.wounds()) {
                wounds.increment();
                LOG.info(
                        "gang wounded: job={} generation={} lost={}",
                        freeing.held().jobId(),
                        freeing.held().generation(),
                        freeing.lost());
            }
        }
    }

    /** The time of a repair is the database's: from the first loss of the generation to its end by the repair. */
    void repaired(List<PlacementState> committed) {
        for (PlacementState state : committed) {
            @Nullable Instant end = state.endedAt();
            if (state.repairedBy() != null && end != null) {
                repairs.increment();
                repairTimes.record(Duration.between(firstLoss(state).orElse(end), end));
            }
        }
    }

    private static Optional<Instant> firstLoss(PlacementState state) {
        return state.members().stream()
                .flatMap(member -> Optional.ofNullable(member.until()).stream())
                .min(Comparator.naturalOrder());
    }

    private void repaired(Decision.Repaired repaired) {
        outcome("repaired").increment();
        reasons.remove(CoreIds.published(repaired.job()));
        LOG.info(
                "gang repaired: job={} generation={} replacements={}",
                repaired.job(),
                repaired.generation(),
                repaired.plan().replacements());
    }

    private void placed(Decision.Placed placed) {
        outcome("placed").increment();
        reasons.remove(CoreIds.published(placed.job()));
        LOG.info(
                "gang placed: job={} generation={} members={}",
                placed.job(),
                placed.generation(),
                placed.record().members().stream()
                        .map(member -> member.node() + ":" + member.gpus())
                        .toList());
    }

    private void refused(String outcome, io.muster.scheduling.gang.JobId job, Explanation why) {
        outcome(outcome).increment();
        for (NodeCensus.Count count : why.nodeTally()) {
            Counter.builder("muster.placement.goal.rejections")
                    .description("Nodes refused as members, by the first goal that refused them")
                    .tag("goal", count.reason().name())
                    .register(registry)
                    .increment(count.nodes());
        }
        if (reasons.put(CoreIds.published(job), why.mainReason()) != why.mainReason()) {
            LOG.info("job waits: job={} reason={} why=\"{}\"", job, why.mainReason(), why.sentence());
        }
    }

    private Counter outcome(String outcome) {
        return Counter.builder("muster.scheduling.decisions")
                .description("Decisions for waiting jobs and wounded gangs")
                .tag("outcome", outcome)
                .register(registry);
    }

    /** Jobs that neither are in line nor wait for a repair any more need no reason. */
    void keepOnly(Published published) {
        ClusterImage image = published.image();
        if (reasons.size() > image.waiting().size() + image.repairable().size()) {
            reasons.keySet().removeIf(job -> {
                var id = CoreIds.core(job);
                return image.placeInLine(id).isEmpty()
                        && image.placeAmongRepairs(id).isEmpty();
            });
        }
    }
}
