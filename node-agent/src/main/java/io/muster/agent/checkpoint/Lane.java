package io.muster.agent.checkpoint;

import io.muster.agent.checkpoint.StepBook.Work;
import io.muster.agent.pace.Backoff;
import io.muster.agent.pace.ChangeSignal;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thread for one kind of work, so that a store that hangs keeps no peer or service waiting. An item that has to
 * wait is tried again later and later, up to 5 s, and for ever; other items, also other ranks of its step, do not wait
 * for it. After each item that came to its end it is asked anew what goes first.
 */
final class Lane {

    private static final Logger LOG = LoggerFactory.getLogger(Lane.class);

    /** What came of a piece of work. */
    sealed interface Outcome {

        record Done() implements Outcome {}

        /** Nothing is wrong, others are not ready yet. */
        record NotYet(Duration askAgain) implements Outcome {}

        record Later(String why) implements Outcome {}
    }

    static final Outcome DONE = new Outcome.Done();
    static final Outcome NOT_YET = new Outcome.NotYet(Duration.ofMillis(250));

    private final String name;
    private final RandomGenerator random;
    private final Supplier<List<Work>> open;
    private final Function<Work, Outcome> worker;
    private final ChangeSignal wake = new ChangeSignal();
    private final Map<WorkItem, Backoff> backoffs = new HashMap<>();
    private final Map<WorkItem, Long> notBefore = new HashMap<>();
    private volatile boolean closed;

    Lane(String name, RandomGenerator random, Supplier<List<Work>> open, Function<Work, Outcome> worker) {
        this.name = name;
        this.random = random;
        this.open = open;
        this.worker = worker;
    }

    void start() {
        Thread.ofPlatform().daemon().name(name).start(this::run);
    }

    void wake() {
        wake.raise();
    }

    /** There is news of the step: it waits no longer. */
    void hurry(long step) {
        synchronized (this) {
            notBefore.keySet().removeIf(item -> item.step() == step);
        }
        wake.raise();
    }

    void close() {
        closed = true;
        wake.raise();
    }

    private void run() {
        while (!closed) {
            try {
                if (!once()) {
                    wake.await(Duration.ofMillis(100));
                }
            } catch (RuntimeException bug) {
                LOG.error("{} failed; it goes on", name, bug);
                wake.await(Duration.ofSeconds(1));
            }
        }
    }

    /** True if something came nearer to its end. */
    private boolean once() {
        List<Work> all = open.get();
        forgetOthers(all);
        for (Work work : all) {
            if (!closed && isDue(work.item()) && note(work.item(), worker.apply(work))) {
                return true;
            }
        }
        return false;
    }

    private synchronized boolean isDue(WorkItem item) {
        long now = System.nanoTime();
        return now - notBefore.getOrDefault(item, now) >= 0;
    }

    private synchronized void forgetOthers(List<Work> all) {
        Set<WorkItem> items = all.stream().map(Work::item).collect(Collectors.toSet());
        backoffs.keySet().retainAll(items);
        notBefore.keySet().retainAll(items);
    }

    private synchronized boolean note(WorkItem item, Outcome outcome) {
        return switch (outcome) {
            case Outcome.Done done -> {
                backoffs.remove(item);
                notBefore.remove(item);
                yield true;
            }
            case Outcome.NotYet notYet -> {
                backoffs.remove(item);
                notBefore.put(item, System.nanoTime() + notYet.askAgain().toNanos());
                yield false;
            }
            case Outcome.Later later -> {
                Backoff backoff = backoffs.computeIfAbsent(item, any -> {
                    LOG.warn("{} waits at {}: {}", name, item, later.why());
                    return new Backoff(random, Duration.ofMillis(200), Duration.ofSeconds(5));
                });
                notBefore.put(item, System.nanoTime() + backoff.next().toNanos());
                yield false;
            }
        };
    }
}
