package io.muster.messaging;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Starts and ends the threads of one service. Phase {@value #PHASE}: after all beans are made and before the web server
 * takes requests; a service that fills an image in memory from its database does so in a bean's initialisation or in an
 * earlier phase. At the end everything is told to stop first and then waited for, at most two seconds; whatever is cut
 * off is repeated at the next start. May be started again.
 */
final class MessagingLifecycle implements SmartLifecycle, ParkedKeys {

    static final int PHASE = 1000;

    private static final Logger LOG = LoggerFactory.getLogger(MessagingLifecycle.class);
    private static final Duration IN_ORDER = Duration.ofMillis(1500);
    private static final Duration INTERRUPTED = Duration.ofMillis(500);

    private final MessagingThreads threads;
    private final RelaySignal signal;
    private final InboxRepository inbox;

    private List<OutboxRelay> relays = List.of();
    private volatile List<SubscriptionLoop<?>> loops = List.of();
    private List<Thread> running = List.of();
    private volatile boolean started;

    MessagingLifecycle(MessagingThreads threads, RelaySignal signal, InboxRepository inbox) {
        this.threads = threads;
        this.signal = signal;
        this.inbox = inbox;
    }

    @Override
    public synchronized void start() {
        if (started) {
            return;
        }
        relays = threads.relays();
        loops = threads.subscriptions();
        requireDistinctNames();
        signal.listeners(relays);
        List<Thread> all = new ArrayList<>();
        for (OutboxRelay relay : relays) {
            all.add(threads.start(relay, relay.name()));
        }
        for (SubscriptionLoop<?> loop : loops) {
            all.add(threads.start(loop, loop.name()));
        }
        running = all;
        started = true;
    }

    private void requireDistinctNames() {
        Set<String> names = new TreeSet<>();
        for (SubscriptionLoop<?> loop : loops) {
            if (!names.add(loop.name())) {
                throw new IllegalStateException("two subscriptions are named " + loop.name()
                        + ": their offsets would mix; give each its own name");
            }
        }
    }

    @Override
    public synchronized void stop() {
        started = false;
        signal.listeners(List.of());
        relays.forEach(OutboxRelay::close);
        loops.forEach(SubscriptionLoop::close);
        if (!join(IN_ORDER)) {
            running.forEach(Thread::interrupt);
            if (!join(INTERRUPTED)) {
                LOG.warn("some threads of messaging did not end in time: {}", alive());
            }
        }
        running = List.of();
    }

    private boolean join(Duration longest) {
        long end = System.nanoTime() + longest.toNanos();
        try {
            for (Thread thread : running) {
                long left = Math.max(1, end - System.nanoTime());
                if (!thread.join(Duration.ofNanos(left))) {
                    return false;
                }
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private List<String> alive() {
        return running.stream().filter(Thread::isAlive).map(Thread::getName).toList();
    }

    @Override
    public boolean isRunning() {
        return started;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    @Override
    public List<ParkedKey> list() {
        return inbox.allParked();
    }

    @Override
    public RetryOutcome retry(String subscription, String key, Duration patience) {
        for (SubscriptionLoop<?> loop : loops) {
            if (loop.name().equals(subscription)) {
                return await(loop, key, patience);
            }
        }
        throw new IllegalArgumentException("this service has no subscription " + subscription + "; it has "
                + loops.stream().map(SubscriptionLoop::name).toList());
    }

    private RetryOutcome await(SubscriptionLoop<?> loop, String key, Duration patience) {
        if (!started) {
            throw new IllegalStateException("subscription " + loop.name() + " does not run");
        }
        String failure = "retry of " + key + " in subscription " + loop.name() + " failed";
        try {
            return loop.retry(key).get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new IllegalStateException(failure + ": no answer within " + patience.toSeconds() + " s", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(failure, e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(failure + ": interrupted", e);
        }
    }
}
