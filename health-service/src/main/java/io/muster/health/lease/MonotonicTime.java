package io.muster.health.lease;

/** Nanoseconds that never go back; only differences mean anything. */
@FunctionalInterface
public interface MonotonicTime {

    long nanos();
}
