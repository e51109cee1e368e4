package io.muster.simulator.failure;

import java.util.EnumMap;
import java.util.Map;

/** Where the wall time went. What is booked once is only ever moved, from useful to recompute. */
final class Ledger {

    private final long[] millis = new long[Phase.values().length];

    void book(Phase phase, long duration) {
        if (duration < 0) {
            throw new IllegalArgumentException(duration + " ms of " + phase + "; time does not run backwards");
        }
        millis[phase.ordinal()] += duration;
    }

    /** So much training was after the checkpoint that is restored. */
    void lose(long training) {
        if (training < 0 || training > millis(Phase.USEFUL)) {
            throw new IllegalArgumentException(
                    training + " ms of training lost of " + millis(Phase.USEFUL) + " ms that were useful");
        }
        millis[Phase.USEFUL.ordinal()] -= training;
        millis[Phase.RECOMPUTE.ordinal()] += training;
    }

    long millis(Phase phase) {
        return millis[phase.ordinal()];
    }

    long total() {
        long sum = 0;
        for (long part : millis) {
            sum += part;
        }
        return sum;
    }

    Map<Phase, Long> byPhase() {
        Map<Phase, Long> parts = new EnumMap<>(Phase.class);
        for (Phase phase : Phase.values()) {
            parts.put(phase, millis(phase));
        }
        return parts;
    }
}
