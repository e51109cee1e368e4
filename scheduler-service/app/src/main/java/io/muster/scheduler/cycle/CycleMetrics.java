package io.muster.scheduler.cycle;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.muster.contract.id.JobId;
import io.muster.scheduler.translation.CoreIds;
import io.muster.scheduling.cycle.Decision;
import io.muster.scheduling.explain.Explanation;
import io.muster.scheduling.explain.PendingReason;
import io.muster.scheduling.placement.NodeCensus;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Counts and logs what the cycles decide, and remembers the last reason of every job that was left waiting. */
@Component
public class CycleMetrics {

    private static final Logger LOG = LoggerFactory.getLogger(CycleMetrics.class);

    private final MeterRegistry registry;
    private final Timer cycles;
    private final Map<JobId, PendingReason> reasons = new ConcurrentHashMap<>();

    CycleMetrics(MeterRegistry registry) {
        this.registry = registry;
        this.cycles = Timer.builder("muster.scheduling.cycle")
                .description("From the first decision of a cycle to its commit")
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
                case Decision.Waiting waiting -> refused("waiting", waiting.job(), waiting.explanation());
                case Decision.Impossible never -> refused("impossible", never.job(), never.explanation());
            }
        }
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
                .description("Decisions for waiting jobs")
                .tag("outcome", outcome)
                .register(registry);
    }

    /** Jobs that are not in line any more need no reason. */
    void keepOnly(Published published) {
        if (reasons.size() > published.image().waiting().size()) {
            reasons.keySet()
                    .removeIf(job ->
                            published.image().placeInLine(CoreIds.core(job)).isEmpty());
        }
    }
}
