package io.muster.simulator.failure;

import java.util.SplittableRandom;

/** A length of time that is any of these milliseconds, each as likely. */
record Span(long leastMillis, long mostMillis) {

    static final Span NONE = new Span(0, 0);

    Span {
        if (leastMillis < 0 || mostMillis < leastMillis) {
            throw new IllegalArgumentException(
                    "a span from " + leastMillis + " to " + mostMillis + " ms; 0 <= least <= most is needed");
        }
    }

    static Span seconds(long least, long most) {
        return new Span(least * 1_000, most * 1_000);
    }

    static Span minutes(long least, long most) {
        return seconds(least * 60, most * 60);
    }

    long draw(SplittableRandom chance) {
        return chance.nextLong(leastMillis, mostMillis + 1);
    }

    double meanMillis() {
        return (leastMillis + mostMillis) / 2.0;
    }
}
