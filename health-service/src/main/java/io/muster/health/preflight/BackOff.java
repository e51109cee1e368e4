package io.muster.health.preflight;

import java.time.Duration;

/** How long a node that was blamed stays out at least: doubled by each repeat within a day, up to an hour. */
final class BackOff {

    static final Duration WINDOW = Duration.ofDays(1);
    private static final Duration FIRST = Duration.ofSeconds(60);
    private static final Duration LONGEST = Duration.ofHours(1);

    private BackOff() {}

    static Duration after(int earlierInADay) {
        Duration wait = FIRST.multipliedBy(1L << Math.min(earlierInADay, 10));
        return wait.compareTo(LONGEST) > 0 ? LONGEST : wait;
    }
}
