package io.muster.health;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for what must come, generously: slowness is no failure. */
public final class Eventually {

    private static final Duration AT_MOST = Duration.ofSeconds(60);

    private Eventually() {}

    public static void holds(String what, BooleanSupplier condition, Supplier<Object> state) {
        long end = System.nanoTime() + AT_MOST.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("never came: " + what + "; now: " + state.get());
            }
            LockSupport.parkNanos(50_000_000);
        }
    }
}
