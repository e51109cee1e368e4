package io.muster.job.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.muster.contract.job.JobPhase;
import io.muster.edge.metrics.CountGauge;
import io.muster.job.lifecycle.Attempt;
import io.muster.job.lifecycle.Ending;
import io.muster.job.lifecycle.Job;
import io.muster.job.lifecycle.JobChanged;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;

/**
 * Counts of jobs for Prometheus. Gauges are read from the database every five seconds, so every instance shows the same;
 * what happens is counted by the instance that made it happen.
 */
@Component
class JobMetrics {

    private static final List<Duration> SLO = List.of(
            Duration.ofSeconds(1),
            Duration.ofSeconds(5),
            Duration.ofSeconds(30),
            Duration.ofMinutes(5),
            Duration.ofMinutes(30),
            Duration.ofHours(4),
            Duration.ofHours(24));

    private final JobCounts counts;
    private final MeterRegistry meters;
    private final CountGauge jobs;
    private final CountGauge pending;

    JobMetrics(JobCounts counts, MeterRegistry meters) {
        this.counts = counts;
        this.meters = meters;
        this.jobs = new CountGauge(MultiGauge.builder("muster.jobs")
                .description("Jobs by state and queue; ended ones of the last 24 hours")
                .register(meters));
        this.pending = new CountGauge(MultiGauge.builder("muster.jobs.pending")
                .description("Jobs that wait for a placement, by queue and reason")
                .register(meters));
    }

    @Scheduled(fixedDelay = 5000)
    void look() {
        Map<Tags, Long> byState = new HashMap<>();
        counts.byState()
                .forEach(count -> byState.put(Tags.of("state", count.label(), "queue", count.queue()), count.jobs()));
        jobs.show(byState);
        Map<Tags, Long> byReason = new HashMap<>();
        counts.pending()
                .forEach(count -> byReason.put(Tags.of("reason", count.label(), "queue", count.queue()), count.jobs()));
        pending.show(byReason);
    }

    @TransactionalEventListener(phase = TransactionPhase.AFTER_COMMIT)
    void changed(JobChanged change) {
        Job after = change.after();
        JobPhase was = change.before().phase();
        if (another(change)) {
            meters.counter("muster.job.restarts", "cause", cause(after)).increment();
        }
        if (was == after.phase()) {
            return;
        }
        if (after.phase() == JobPhase.RUNNING && firstRun(after)) {
            waited(after);
        }
        if (after.phase().ended()) {
            meters.counter(
                            "muster.jobs.ended",
                            "state",
                            after.phase().name(),
                            "reason",
                            after.status().reason().name())
                    .increment();
        }
    }

    private void waited(Job job) {
        Instant running = job.status().since();
        Timer.builder("muster.job.wait")
                .description("From submission to the first time all ranks are up")
                .tag("queue", job.head().queue().value())
                .tag("size_class", sizeClass(job.head().spec().gang().gpus()))
                .serviceLevelObjectives(SLO.toArray(Duration[]::new))
                .register(meters)
                .record(Duration.between(job.head().submittedAt(), running));
    }

    /** An attempt is over with this change, and another one follows. */
    private static boolean another(JobChanged change) {
        Attempt was = change.before().attempt();
        Attempt is = change.after().attempt();
        return was != null
                && is != null
                && was.endedAt() == null
                && is.endedAt() != null
                && (change.after().phase() == JobPhase.QUEUED || change.after().phase() == JobPhase.RECOVERING);
    }

    private static boolean firstRun(Job job) {
        return job.runTime().finished().isZero();
    }

    private static String cause(Job restarted) {
        Ending ending = restarted.attempt() == null ? null : restarted.attempt().ending();
        return ending == null ? "UNKNOWN" : ending.reason().name();
    }

    /** The smallest power of two that is at least the number of GPUs. */
    static String sizeClass(int gpus) {
        int highest = Integer.highestOneBit(Math.max(1, gpus));
        return Integer.toString(highest == gpus || gpus < 1 ? highest : highest * 2);
    }
}
