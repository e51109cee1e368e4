package io.muster.local;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Does several things side by side, a few at a time; the first failure is thrown as it was. */
final class Parallel implements AutoCloseable {

    private final ExecutorService threads;

    Parallel(int atOnce) {
        // own threads: they inherit the class loader that Kafka and Spring look for their parts in
        threads = Executors.newFixedThreadPool(
                atOnce, Thread.ofPlatform().name("start-", 1).factory());
    }

    void all(List<Runnable> tasks) {
        List<Future<?>> running = new ArrayList<>();
        tasks.forEach(task -> running.add(threads.submit(task)));
        for (Future<?> one : running) {
            try {
                one.get();
            } catch (ExecutionException e) {
                throw e.getCause() instanceof RuntimeException failure
                        ? failure
                        : new IllegalStateException(e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while the system was starting", e);
            }
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
