package io.muster.simulation;

import io.muster.simulation.RecoverySimulation.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Many schedules, two at a time. The threads are virtual, so that a schedule and its fibers hand over to each other without
 * the operating system.
 */
final class Schedules {

    private static final int THREADS = Integer.getInteger("simulation.threads", 2);

    private Schedules() {}

    /** The first of these seeds, by its number, whose outcome is as asked; null if none is. Stops soon after it. */
    static @Nullable Outcome first(long from, long count, Mutation mutation, Predicate<Outcome> asked) {
        AtomicLong next = new AtomicLong(from);
        AtomicReference<@Nullable Outcome> found = new AtomicReference<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                running.add(threads.submit(() -> {
                    for (long seed = next.getAndIncrement();
                            seed < from + count && found.get() == null;
                            seed = next.getAndIncrement()) {
                        Outcome outcome = RecoverySimulation.run(seed, mutation);
                        if (asked.test(outcome)) {
                            found.accumulateAndGet(outcome, Schedules::earlier);
                        }
                    }
                }));
            }
            for (Future<?> one : running) {
                one.get();
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(stopped);
        } catch (ExecutionException failed) {
            throw new IllegalStateException(failed.getCause());
        }
        return found.get();
    }

    private static @Nullable Outcome earlier(@Nullable Outcome one, @Nullable Outcome other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return one.seed() <= other.seed() ? one : other;
    }
}
