package io.muster.scheduler.leadership;

import io.muster.scheduler.intake.ChangeSignal;
import java.util.OptionalLong;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Component;
import org.springframework.transaction.TransactionException;

/**
 * Keeps the lease, or waits for it, on a thread of its own so that a long decision does not cost it. What this class
 * believes is a hint: whether a decision counts is said by {@link LeaseRepository#fence} inside its transaction. While
 * the database is away the belief stays; a lease lost meanwhile is noticed at the next contact.
 */
@Component
public class Leadership implements SmartLifecycle {

    private static final Logger LOG = LoggerFactory.getLogger(Leadership.class);
    private static final long STANDBY = 0;

    /** Before the decision thread at start, after it at stop. */
    public static final int PHASE = 100;

    private final LeaseRepository leases;
    private final SchedulerProperties properties;
    private final InstanceName name;
    private final ChangeSignal signal;
    private volatile long epoch = STANDBY;
    private @Nullable ScheduledExecutorService thread;

    Leadership(LeaseRepository leases, SchedulerProperties properties, InstanceName name, ChangeSignal signal) {
        this.leases = leases;
        this.properties = properties;
        this.name = name;
        this.signal = signal;
    }

    /** The epoch under which this instance may try to commit; empty for a standby. */
    public OptionalLong epoch() {
        long now = epoch;
        return now == STANDBY ? OptionalLong.empty() : OptionalLong.of(now);
    }

    /** The database refused this epoch. */
    public void lost(long refused) {
        if (epoch == refused) {
            epoch = STANDBY;
            LOG.info("leadership lost: holder={} epoch={}", name.value(), refused);
        }
    }

    private void tick() {
        try {
            long held = epoch;
            if (held == STANDBY) {
                leases.takeOver(name.value(), properties.lease()).ifPresent(this::won);
            } else if (!leases.renew(held, properties.lease())) {
                lost(held);
            }
        } catch (DataAccessException | TransactionException e) {
            LOG.warn("the leader's lease could not be read or renewed, trying again: {}", e.getMessage());
        }
    }

    private void won(long risen) {
        epoch = risen;
        LOG.info("leadership won: holder={} epoch={}", name.value(), risen);
        signal.raise();
    }

    @Override
    public synchronized void start() {
        ScheduledExecutorService started = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("muster-scheduler-lease").factory());
        thread = started;
        long third = properties.lease().toMillis() / 3;
        var _ = started.scheduleWithFixedDelay(this::tick, 0, third, TimeUnit.MILLISECONDS);
    }

    /** Gives the lease up, so that another instance need not wait for its end. */
    @Override
    public synchronized void stop() {
        ScheduledExecutorService running = thread;
        if (running == null) {
            return;
        }
        thread = null;
        running.shutdown();
        awaitLastTick(running);
        long held = epoch;
        epoch = STANDBY;
        if (held != STANDBY) {
            try {
                leases.giveUp(held);
            } catch (DataAccessException | TransactionException e) {
                LOG.info("the lease of epoch {} was not given up and will run out: {}", held, e.getMessage());
            }
        }
    }

    /** A tick under way could still win the lease; after it nobody changes the epoch. */
    private void awaitLastTick(ScheduledExecutorService stopping) {
        try {
            if (!stopping.awaitTermination(properties.lease().toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.info(
                        "the last renewal of the lease did not end within {} ms",
                        properties.lease().toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    @Override
    public synchronized boolean isRunning() {
        return thread != null;
    }
}
