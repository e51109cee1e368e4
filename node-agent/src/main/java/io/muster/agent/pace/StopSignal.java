package io.muster.agent.pace;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Raised once; every loop pauses on it, so that a stop ends all pauses at once. */
public final class StopSignal {

    private final CountDownLatch latch = new CountDownLatch(1);

    public void raise() {
        latch.countDown();
    }

    public boolean raised() {
        return latch.getCount() == 0;
    }

    /** Waits; true if the signal was raised before the time was over. An interrupt counts as a stop. */
    public boolean pause(Duration time) {
        try {
            return latch.await(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return true;
        }
    }
}
