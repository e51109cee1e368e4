package io.muster.messaging;

import java.time.Duration;

/** Waits that double from 50 ms to 2 s and never end: infrastructure comes back. */
final class Backoff {

    private static final Duration FIRST = Duration.ofMillis(50);
    private static final Duration LONGEST = Duration.ofSeconds(2);

    private Duration next = FIRST;

    Duration next() {
        Duration wait = next;
        Duration doubled = next.multipliedBy(2);
        next = doubled.compareTo(LONGEST) > 0 ? LONGEST : doubled;
        return wait;
    }

    void reset() {
        next = FIRST;
    }
}
