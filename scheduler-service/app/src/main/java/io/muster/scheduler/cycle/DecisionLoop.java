package io.muster.scheduler.cycle;

import io.muster.scheduler.allocation.AllocationRepository;
import io.muster.scheduler.allocation.Commit;
import io.muster.scheduler.allocation.CommitOutcome;
import io.muster.scheduler.allocation.PlacementLedger;
import io.muster.scheduler.intake.ChangeSignal;
import io.muster.scheduler.intake.ProjectionRepository;
import io.muster.scheduler.intake.ProjectionRepository.Changes;
import io.muster.scheduler.leadership.Leadership;
import io.muster.scheduler.leadership.SchedulerProperties;
import io.muster.scheduling.cycle.Decision;
import io.muster.scheduling.cycle.SchedulingCycle;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * The one decision thread. As leader: read what changed, decide, commit under the epoch, publish; again at every signal
 * and at least every poll. As standby: build the image anew, at most every third of a lease, so that queries are
 * answered; decide nothing.
 *
 * <p>The memory is thrown away and built again from the database when anything at all fails, because after a failed
 * commit nobody knows what is in it, and when the epoch is not the one it was built under. The last published image
 * stays for the queries meanwhile.
 */
@Component
class DecisionLoop implements SmartLifecycle {

    private static final Logger LOG = LoggerFactory.getLogger(DecisionLoop.class);
    private static final long STANDBY = 0;

    private final ProjectionRepository projections;
    private final AllocationRepository allocations;
    private final PlacementLedger ledger;
    private final Leadership leadership;
    private final ChangeSignal signal;
    private final Publication publication;
    private final CycleMetrics metrics;
    private final SchedulerProperties properties;
    private final InstantSource clock;
    private final SchedulingCycle cycle;

    private @Nullable ClusterMemory memory;
    private long memoryEpoch;
    private long memoryPosition;
    private String horizon = ProjectionRepository.FROM_THE_BEGINNING;
    private Instant nextStandbyLook = Instant.MIN;
    private boolean failing;
    private volatile @Nullable Thread thread;

    DecisionLoop(
            ProjectionRepository projections,
            AllocationRepository allocations,
            PlacementLedger ledger,
            Leadership leadership,
            ChangeSignal signal,
            Publication publication,
            CycleMetrics metrics,
            SchedulerProperties properties,
            InstantSource clock) {
        this.projections = projections;
        this.allocations = allocations;
        this.ledger = ledger;
        this.leadership = leadership;
        this.signal = signal;
        this.publication = publication;
        this.metrics = metrics;
        this.properties = properties;
        this.clock = clock;
        this.cycle = new SchedulingCycle(properties.placementsPerCommit());
    }

    private void run() {
        try {
            while (thread == Thread.currentThread()) {
                turnSafely();
                signal.await(properties.poll());
            }
        } catch (InterruptedException e) {
            LOG.debug("the decision thread ends");
        }
    }

    private void turnSafely() {
        try {
            turn();
            if (failing) {
                failing = false;
                LOG.info("the decision thread works again");
            }
        } catch (RuntimeException e) {
            memory = null;
            if (!failing && thread == Thread.currentThread()) {
                failing = true;
                LOG.warn("a scheduling cycle failed, nothing of it counts; trying again with a new image", e);
            }
        }
    }

    private void turn() {
        OptionalLong epoch = leadership.epoch();
        if (epoch.isPresent()) {
            lead(epoch.getAsLong());
        } else {
            follow();
        }
    }

    private void lead(long epoch) {
        ClusterMemory current = memory;
        boolean changed = true;
        if (current == null || memoryEpoch != epoch) {
            current = load(epoch);
        } else {
            Changes changes = projections.changedSince(horizon);
            changed = current.absorb(changes);
            horizon = changes.nextHorizon();
        }
        if (changed) {
            decideAll(current, epoch);
        }
    }

    private void follow() {
        Instant now = clock.instant();
        if (memory != null && memoryEpoch == STANDBY) {
            if (now.isBefore(nextStandbyLook)) {
                return;
            }
            nextStandbyLook = now.plus(properties.lease().dividedBy(3));
            if (projections.changedSince(horizon).isEmpty() && allocations.newestPosition() == memoryPosition) {
                return;
            }
        }
        publication.publish(load(STANDBY).publish(STANDBY));
    }

    /** Positions and changes are read before the allocations, so that whatever comes between is looked at again. */
    private ClusterMemory load(long epoch) {
        memory = null;
        memoryPosition = allocations.newestPosition();
        Changes all = projections.changedSince(ProjectionRepository.FROM_THE_BEGINNING);
        ClusterMemory loaded = ClusterMemory.load(all, allocations.live(), allocations.newestGenerations());
        horizon = all.nextHorizon();
        memoryEpoch = epoch;
        memory = loaded;
        LOG.debug(
                "image built: epoch={} jobs={} nodes={}",
                epoch,
                all.jobs().size(),
                all.nodes().size());
        return loaded;
    }

    private void decideAll(ClusterMemory current, long epoch) {
        boolean again = true;
        while (again && memory == current) {
            again = decideOnce(current, epoch);
        }
    }

    /** True if gangs were placed or repaired, so that more may follow. */
    private boolean decideOnce(ClusterMemory current, long epoch) {
        var changed = new boolean[1];
        metrics.time(() -> {
            List<Decision> decisions = cycle.decide(current.working(), clock.instant());
            Commit commit = current.commit(decisions);
            if (write(current, commit, epoch)) {
                publish(current, epoch, decisions);
                changed[0] = !commit.repairs().isEmpty() || !commit.placings().isEmpty();
            }
        });
        return changed[0];
    }

    private boolean write(ClusterMemory current, Commit commit, long epoch) {
        if (commit.isEmpty()) {
            return true;
        }
        return switch (ledger.write(commit, epoch)) {
            case CommitOutcome.Committed committed -> {
                current.committed(committed.states());
                metrics.wounded(commit);
                metrics.repaired(committed.states());
                yield true;
            }
            case CommitOutcome.Fenced _ -> {
                current.working().rollback();
                memory = null;
                leadership.lost(epoch);
                yield false;
            }
        };
    }

    private void publish(ClusterMemory current, long epoch, List<Decision> decisions) {
        Published published = current.publish(epoch);
        publication.publish(published);
        metrics.committed(decisions);
        metrics.keepOnly(published);
    }

    @Override
    public synchronized void start() {
        Thread started =
                Thread.ofPlatform().daemon().name("muster-scheduler-decisions").unstarted(this::run);
        thread = started;
        started.start();
    }

    /** Waits for the commit under way, but not longer than a lease. */
    @Override
    public synchronized void stop() {
        @Nullable Thread running = thread;
        thread = null;
        signal.raise();
        if (running != null) {
            try {
                running.join(properties.lease());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public boolean isRunning() {
        return thread != null;
    }

    @Override
    public int getPhase() {
        return Leadership.PHASE + 100;
    }
}
