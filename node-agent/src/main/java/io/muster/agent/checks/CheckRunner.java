package io.muster.agent.checks;

import io.muster.contract.node.CheckResult;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Runs checks side by side, each with its own limit counted from the common start. A check that is late, broken or
 * interrupted is UNKNOWN; the results keep the order of the checks. While a late one still hangs (a store that does not
 * answer cannot be interrupted), the check is not begun again and is UNKNOWN at once: hanging threads do not pile up.
 */
final class CheckRunner {

    private static final Duration TO_GIVE_UP = Duration.ofMillis(100);

    private final InstantSource clock;
    private final Map<String, Thread> hanging = new ConcurrentHashMap<>();

    CheckRunner(InstantSource clock) {
        this.clock = clock;
    }

    private record Timed(Finding finding, long tookMillis) {}

    /** Throws InterruptedException only if the caller itself was told to stop. */
    List<CheckResult> run(List<? extends Check> checks) throws InterruptedException {
        long begun = System.nanoTime();
        List<FutureTask<Timed>> running = new ArrayList<>();
        Map<Check, Thread> threads = new IdentityHashMap<>();
        for (Check check : checks) {
            FutureTask<Timed> task = new FutureTask<>(() -> timed(check));
            if (stillHangs(check)) {
                task = new FutureTask<>(() -> new Timed(
                        Finding.unknown(check.name() + " was begun before and still hangs; it is not begun again"), 0));
                task.run();
            } else {
                threads.put(
                        check,
                        Thread.ofPlatform()
                                .daemon()
                                .name("check-" + check.name())
                                .start(task));
            }
            running.add(task);
        }
        try {
            List<CheckResult> results = new ArrayList<>();
            for (int index = 0; index < checks.size(); index++) {
                Check check = checks.get(index);
                Timed timed = await(check, running.get(index), begun);
                Thread thread = threads.get(check);
                if (thread != null && !running.get(index).isDone()) {
                    hanging.merge(check.name(), thread, (older, late) -> older.isAlive() ? older : late);
                }
                Finding told = check.told(timed.finding());
                results.add(new CheckResult(
                        check.name(),
                        told.status(),
                        check.required(),
                        told.message(),
                        timed.tookMillis(),
                        clock.instant()));
            }
            return results;
        } finally {
            threads.values().forEach(Thread::interrupt);
        }
    }

    /** One that was interrupted a moment ago gets a moment to end. */
    private boolean stillHangs(Check check) throws InterruptedException {
        Thread earlier = hanging.get(check.name());
        if (earlier == null || earlier.join(TO_GIVE_UP)) {
            hanging.remove(check.name());
            return false;
        }
        return true;
    }

    private static Timed timed(Check check) throws IOException, InterruptedException {
        long begun = System.nanoTime();
        Finding finding = check.look();
        return new Timed(finding, millisSince(begun));
    }

    private static Timed await(Check check, FutureTask<Timed> task, long begun) throws InterruptedException {
        long left = check.limit().toNanos() - (System.nanoTime() - begun);
        try {
            return task.get(Math.max(0, left), TimeUnit.NANOSECONDS);
        } catch (TimeoutException late) {
            String message =
                    check.name() + " did not end within " + check.limit().toMillis() + " ms";
            return new Timed(Finding.unknown(message), millisSince(begun));
        } catch (ExecutionException broken) {
            Throwable cause = broken.getCause() == null ? broken : broken.getCause();
            String message =
                    check.name() + " could not run: " + cause.getClass().getSimpleName() + " " + cause.getMessage();
            return new Timed(Finding.unknown(message), millisSince(begun));
        }
    }

    private static long millisSince(long begun) {
        return (System.nanoTime() - begun) / 1_000_000;
    }
}
