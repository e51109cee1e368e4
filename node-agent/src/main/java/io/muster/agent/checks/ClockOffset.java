package io.muster.agent.checks;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * This node's clock against health-service's, as the last heartbeat showed it: over 1 s WARN, over 5 s FAIL. Right after
 * a registration the first heartbeat is awaited a moment.
 */
record ClockOffset(Supplier<OptionalLong> offsetMillis) implements Check {

    private static final long WARN_MILLIS = 1000;
    private static final long FAIL_MILLIS = 5000;
    private static final int LOOKS = 50;

    @Override
    public String name() {
        return "clock_offset";
    }

    @Override
    public Finding look() throws InterruptedException {
        OptionalLong offset = offsetMillis.get();
        for (int look = 1; offset.isEmpty() && look < LOOKS; look++) {
            Thread.sleep(Duration.ofMillis(20));
            offset = offsetMillis.get();
        }
        if (offset.isEmpty()) {
            return Finding.unknown("no heartbeat has been answered within the last minute");
        }
        long millis = offset.getAsLong();
        String measured = "clock is " + millis + " ms ahead of health-service (negative: behind); warned over "
                + WARN_MILLIS + " ms, refused over " + FAIL_MILLIS + " ms";
        if (Math.abs(millis) > FAIL_MILLIS) {
            return Finding.fail(measured);
        }
        return Math.abs(millis) > WARN_MILLIS ? Finding.warn(measured) : Finding.pass(measured);
    }
}
