package io.muster.agent.checkpoint;

import io.muster.agent.checkpoint.StepBook.Work;
import io.muster.agent.pace.Backoff;
import io.muster.agent.pace.ChangeSignal;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thread for one kind of work, so that a store that hangs keeps no peer or service waiting. A step that has to wait
 * is tried again later and later, up to 5 s, and for ever; other steps do not wait for it.
 */
final class Lane {

    private static final Logger LOG = LoggerFactory.getLogger(Lane.class);
    private static final Duration ASK_AGAIN = Duration.ofMillis(250);

    /** What came of a piece of work. */
    sealed interface Outcome {

        record Done() implements Outcome {}

        /** Nothing is wrong, others are not ready yet. */
        record NotYet() implements Outcome {}

        record Later(String why) implements Outcome {}
    }

    static final Outcome DONE = new Outcome.Done();
    static final Outcome NOT_YET = new Outcome.NotYet();

    private final String name;
    private final RandomGenerator random;
    private final Supplier<List<Work>> open;
    private final Function<Work, Outcome> worker;
    private final ChangeSignal wake = new ChangeSignal();
    private final Map<Long, Backoff> backoffs = new HashMap<>();
    private final Map<Long, Long> notBefore = new HashMap<>();
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
            notBefore.remove(step);
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
        boolean progress = false;
        for (Work work : all) {
            if (!closed && isDue(work.step())) {
                progress |= note(work.step(), worker.apply(work));
            }
        }
        return progress;
    }

    private synchronized boolean isDue(long step) {
        long now = System.nanoTime();
        return now - notBefore.getOrDefault(step, now) >= 0;
    }

    private synchronized void forgetOthers(List<Work> all) {
        List<Long> steps = all.stream().map(Work::step).toList();
        backoffs.keySet().retainAll(steps);
        notBefore.keySet().retainAll(steps);
    }

    private synchronized boolean note(long step, Outcome outcome) {
        return switch (outcome) {
            case Outcome.Done done -> {
                backoffs.remove(step);
                notBefore.remove(step);
                yield true;
            }
            case Outcome.NotYet notYet -> {
                backoffs.remove(step);
                notBefore.put(step, System.nanoTime() + ASK_AGAIN.toNanos());
                yield false;
            }
            case Outcome.Later later -> {
                Backoff backoff = backoffs.computeIfAbsent(step, any -> {
                    LOG.warn("{} waits at step {}: {}", name, step, later.why());
                    return new Backoff(random, Duration.ofMillis(200), Duration.ofSeconds(5));
                });
                notBefore.put(step, System.nanoTime() + backoff.next().toNanos());
                yield false;
            }
        };
    }
}
