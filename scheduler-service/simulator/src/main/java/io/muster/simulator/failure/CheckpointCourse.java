package io.muster.simulator.failure;

/**
 * How the job saves. Saves fall on the ends of steps; each stops training for the stall, is safe in two memories after
 * {@code peerLagMillis}, and every {@code durableEvery}-th is in the store after {@code durableLagMillis}.
 *
 * <p>Defaults: the stall is what the demo measures, 4 to 11 ms, which is also what 0.35 GB of a 405B model cost a GPU of
 * 16,000 (reference/checkpoint.md section 0, 5); 10 s until safe and 60 s until stored (section 0, 6 and 3.2); stored about
 * every 10 minutes, the interval that a job has if it names none; steps of 5 s are an assumption.
 */
record CheckpointCourse(
        long stepMillis, long everySteps, Span stall, long peerLagMillis, long durableEvery, long durableLagMillis) {

    private static final long STEP_MILLIS = 5_000;
    private static final Span STALL = new Span(4, 11);
    private static final long PEER_LAG_MILLIS = 10_000;
    private static final long DURABLE_INTERVAL_MILLIS = 600_000;
    private static final long DURABLE_LAG_MILLIS = 60_000;

    CheckpointCourse {
        if (stepMillis < 1 || everySteps < 1 || durableEvery < 1 || peerLagMillis < 0 || durableLagMillis < 0) {
            throw new IllegalArgumentException("steps of " + stepMillis + " ms, saved every " + everySteps
                    + " steps and stored every " + durableEvery + " saves; all must be at least 1, and no lag below 0");
        }
        if (stepMillis * everySteps < peerLagMillis || stepMillis * everySteps * durableEvery < durableLagMillis) {
            throw new IllegalArgumentException("a save every " + stepMillis * everySteps + " ms is not safe for "
                    + peerLagMillis + " ms, and stored every " + durableEvery + " saves not for " + durableLagMillis
                    + " ms; only one of each may be under way, so save less often");
        }
    }

    /** About so far apart: whole steps, and not before the save before it is safe. */
    static CheckpointCourse every(long intervalMillis) {
        long least = Math.max(intervalMillis, PEER_LAG_MILLIS);
        long steps = Math.ceilDiv(least, STEP_MILLIS);
        long stored = Math.max(1, DURABLE_INTERVAL_MILLIS / (steps * STEP_MILLIS));
        return new CheckpointCourse(STEP_MILLIS, steps, STALL, PEER_LAG_MILLIS, stored, DURABLE_LAG_MILLIS);
    }

    /**
     * Young's optimum, the square root of 2 x stall x mean time between failures (reference/checkpoint.md 3.1); 10 minutes at
     * most.
     */
    static CheckpointCourse young(double millisBetweenFailures) {
        return every(
                (long) Math.min(DURABLE_INTERVAL_MILLIS, Math.sqrt(2 * STALL.meanMillis() * millisBetweenFailures)));
    }

    long intervalMillis() {
        return stepMillis * everySteps;
    }
}
