package io.muster.simulator.failure;

import java.util.SplittableRandom;

/**
 * All chance of a run. Each use has a stream of its own, so that one more power fault moves no fault of a single node: runs
 * with and without correlated faults differ by those alone.
 */
record Chance(long seed) {

    /** What a stream is for. */
    enum Use {
        NODE,
        WARNING,
        POWER_UNIT,
        LEAF,
        RELEASE,
        PHASES,
        STALLS
    }

    SplittableRandom stream(Use use) {
        return new SplittableRandom(new SplittableRandom(seed).nextLong() + use.ordinal() * 0x9E3779B97F4A7C15L);
    }

    /** Until the next of events that come singly and independently, so far apart on average; at least 1 ms. */
    static long gap(SplittableRandom stream, double meanMillis) {
        return 1 + (long) (-StrictMath.log(1 - stream.nextDouble()) * meanMillis);
    }
}
