package io.muster.agent;

import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for what must come, and says what did not. */
public final class Await {

    private static final Duration LONGEST = Duration.ofSeconds(30);

    private Await() {}

    public static void until(String what, BooleanSupplier condition) {
        untilFound(what, () -> condition.getAsBoolean() ? Optional.of(true) : Optional.empty());
    }

    public static <T> T untilFound(String what, Supplier<Optional<T>> search) {
        long end = System.nanoTime() + LONGEST.toNanos();
        while (System.nanoTime() < end) {
            Optional<T> found = search.get();
            if (found.isPresent()) {
                return found.get();
            }
            pause(Duration.ofMillis(20));
        }
        throw new AssertionError("did not come within " + LONGEST.toSeconds() + " s: " + what);
    }

    public static void pause(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError(interrupted);
        }
    }
}
