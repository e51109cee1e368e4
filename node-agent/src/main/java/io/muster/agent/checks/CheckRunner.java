package io.muster.agent.checks;

import io.muster.contract.node.CheckResult;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Runs checks side by side, each with its own limit counted from the common start. A check that is late, broken or
 * interrupted is UNKNOWN; the results keep the order of the checks.
 */
final class CheckRunner {

    private final InstantSource clock;

    CheckRunner(InstantSource clock) {
        this.clock = clock;
    }

    private record Timed(Finding finding, long tookMillis) {}

    /** Throws InterruptedException only if the caller itself was told to stop. */
    List<CheckResult> run(List<? extends Check> checks) throws InterruptedException {
        long begun = System.nanoTime();
        List<FutureTask<Timed>> running = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (Check check : checks) {
            FutureTask<Timed> task = new FutureTask<>(() -> timed(check));
            running.add(task);
            threads.add(
                    Thread.ofPlatform().daemon().name("check-" + check.name()).start(task));
        }
        try {
            List<CheckResult> results = new ArrayList<>();
            for (int index = 0; index < checks.size(); index++) {
                Check check = checks.get(index);
                Timed timed = await(check, running.get(index), begun);
                results.add(new CheckResult(
                        check.name(),
                        timed.finding().status(),
                        check.required(),
                        timed.finding().message(),
                        timed.tookMillis(),
                        clock.instant()));
            }
            return results;
        } finally {
            threads.forEach(Thread::interrupt);
        }
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
