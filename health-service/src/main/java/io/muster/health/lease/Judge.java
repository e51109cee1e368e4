package io.muster.health.lease;

import io.muster.contract.id.NodeId;
import io.muster.health.node.NodeRecord;
import io.muster.health.node.Nodes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/**
 * Runs the judging on two threads: one sweeps the leases and touches memory only, so that a slow database never makes a
 * sweep late; the other keeps the seat and performs the duties that write. A duty that fails is tried again at its next
 * turn. Starts after the web server and stops before it, giving the seat free for another instance.
 */
@Component
class Judge implements SmartLifecycle {

    private static final Logger LOG = LoggerFactory.getLogger(Judge.class);

    private final JudgeSeat seat;
    private final Sweeper sweeper;
    private final LeaseVerdicts verdicts;
    private final Nodes nodes;
    private final ObjectProvider<JudgeDuty> duties;
    private final LeaseProperties properties;
    private final MonotonicTime time;
    private final Environment environment;
    private @Nullable ScheduledExecutorService threads;
    private List<ScheduledFuture<?>> running = List.of();
    private long renewAt;
    private boolean databaseAway;

    Judge(
            JudgeSeat seat,
            Sweeper sweeper,
            LeaseVerdicts verdicts,
            Nodes nodes,
            ObjectProvider<JudgeDuty> duties,
            LeaseProperties properties,
            MonotonicTime time,
            Environment environment) {
        this.seat = seat;
        this.sweeper = sweeper;
        this.verdicts = verdicts;
        this.nodes = nodes;
        this.duties = duties;
        this.properties = properties;
        this.time = time;
        this.environment = environment;
    }

    @Override
    public void start() {
        String url = properties.advertisedUrl() != null
                ? properties.advertisedUrl()
                : "http://127.0.0.1:" + environment.getRequiredProperty("local.server.port");
        long every = properties.sweepEvery().toMillis();
        ScheduledExecutorService executor = Executors.newScheduledThreadPool(
                2, Thread.ofPlatform().name("health-judge-", 0).daemon().factory());
        threads = executor;
        running = List.of(
                executor.scheduleWithFixedDelay(this::sweep, every, every, TimeUnit.MILLISECONDS),
                executor.scheduleWithFixedDelay(() -> turn(url), 0, every, TimeUnit.MILLISECONDS));
    }

    @Override
    public void stop() {
        ScheduledExecutorService executor = threads;
        threads = null;
        if (executor == null) {
            return;
        }
        executor.shutdown();
        try {
            if (!executor.awaitTermination(3, TimeUnit.SECONDS)) {
                running.forEach(task -> task.cancel(true));
            }
            seat.release();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.info("judge seat not released, it runs out in {}: {}", properties.judgeSeat(), e.getMessage());
        }
    }

    @Override
    public boolean isRunning() {
        return threads != null;
    }

    private void sweep() {
        try {
            if (seat.judging()) {
                verdicts.add(sweeper.sweep(time.nanos()));
            }
        } catch (RuntimeException e) {
            LOG.error("sweeping the leases failed; the next sweep tries again", e);
        }
    }

    private void turn(String url) {
        try {
            if (seat.held() ? stays() : takes(url)) {
                duties.orderedStream().forEach(this::perform);
            }
            databaseAway = false;
        } catch (RuntimeException e) {
            if (!databaseAway) {
                LOG.warn("the judge's seat cannot be looked at, leases are judged on: {}", e.getMessage());
            }
            databaseAway = true;
        }
    }

    private boolean takes(String url) {
        if (!seat.take(url)) {
            return false;
        }
        try {
            List<NodeRecord> stored = nodes.all();
            Map<NodeId, Long> living = new TreeMap<>();
            for (NodeRecord node : stored) {
                if (!node.sessionEnded()) {
                    living.put(node.node(), node.session());
                }
            }
            duties.orderedStream().forEach(duty -> duty.seatTaken(stored));
            verdicts.clear();
            sweeper.beginWith(living, time.nanos());
            renewAt = time.nanos() + renewEvery().toNanos();
            seat.beginJudging();
            return true;
        } catch (RuntimeException e) {
            seat.release();
            throw e;
        }
    }

    private boolean stays() {
        if (time.nanos() - renewAt < 0) {
            return true;
        }
        renewAt = time.nanos() + renewEvery().toNanos();
        if (seat.renew()) {
            return true;
        }
        duties.orderedStream().forEach(JudgeDuty::seatLost);
        return false;
    }

    private Duration renewEvery() {
        return properties.judgeSeat().dividedBy(5);
    }

    private void perform(JudgeDuty duty) {
        try {
            duty.perform();
        } catch (RuntimeException e) {
            LOG.warn("duty={} failed and is tried again: {}", duty.getClass().getSimpleName(), e.toString());
        }
    }
}
