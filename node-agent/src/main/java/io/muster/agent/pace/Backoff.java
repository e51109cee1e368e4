package io.muster.agent.pace;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** Longer and longer pauses with jitter, up to a ceiling, for ever; back to the first after a success. */
public final class Backoff {

    private final RandomGenerator random;
    private final long firstMillis;
    private final long ceilingMillis;
    private long currentMillis;

    public Backoff(RandomGenerator random, Duration first, Duration ceiling) {
        this.random = random;
        this.firstMillis = first.toMillis();
        this.ceilingMillis = ceiling.toMillis();
        this.currentMillis = firstMillis;
    }

    /** Between half of the current pause and all of it. */
    public Duration next() {
        long millis = currentMillis / 2 + random.nextLong(currentMillis / 2 + 1);
        currentMillis = Math.min(ceilingMillis, currentMillis * 2);
        return Duration.ofMillis(millis);
    }

    public void succeeded() {
        currentMillis = firstMillis;
    }
}
