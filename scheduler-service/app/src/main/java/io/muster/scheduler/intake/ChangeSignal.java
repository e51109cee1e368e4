package io.muster.scheduler.intake;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Component;

/**
 * Tells the decision thread of this process that a projection has changed or that it leads now. It only saves the wait
 * for the next poll: what changed is read from the tables, also when another instance consumed it.
 */
@Component
public class ChangeSignal {

    private final Semaphore pending = new Semaphore(0);

    public void raise() {
        pending.release();
    }

    /** Returns at the next signal, at once if one came since the last call, or after this long. */
    public void await(Duration longest) throws InterruptedException {
        if (pending.tryAcquire(longest.toMillis(), TimeUnit.MILLISECONDS)) {
            pending.drainPermits();
        }
    }
}
