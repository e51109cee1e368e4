package io.muster.agent.pace;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Tells one waiting loop that something changed; many changes before it looks are one. */
public final class ChangeSignal {

    private final Semaphore pending = new Semaphore(0);

    public void raise() {
        pending.release();
    }

    /** Waits for a change or the time; true if there was a change. */
    public boolean await(Duration time) {
        try {
            if (!pending.tryAcquire(time.toNanos(), TimeUnit.NANOSECONDS)) {
                return false;
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return true;
        }
        pending.drainPermits();
        return true;
    }
}
