package io.muster.agent.checks;

import io.muster.contract.node.CheckStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A check whose failure is said but keeps no work off: WARN instead of FAIL, also when it hangs or cannot run. */
record Advisory(Check check, String why) implements Check {

    private static final Duration TO_SAY_SO = Duration.ofSeconds(10);

    @Override
    public String name() {
        return check.name();
    }

    @Override
    public boolean required() {
        return false;
    }

    @Override
    public Duration limit() {
        return check.limit().plus(TO_SAY_SO);
    }

    @Override
    public Finding look() throws IOException, InterruptedException {
        FutureTask<Finding> task = new FutureTask<>(check::look);
        Thread.ofPlatform().daemon().name("advisory-" + name()).start(task);
        try {
            Finding found = task.get(check.limit().toNanos(), TimeUnit.NANOSECONDS);
            boolean lets = found.status() != CheckStatus.FAIL && found.status() != CheckStatus.UNKNOWN;
            return lets ? found : Finding.warn(found.message() + "; " + why);
        } catch (TimeoutException late) {
            return Finding.warn("no answer within " + check.limit().toMillis() + " ms; " + why);
        } catch (ExecutionException broken) {
            return Finding.warn("could not run: " + broken.getCause() + "; " + why);
        }
    }
}
