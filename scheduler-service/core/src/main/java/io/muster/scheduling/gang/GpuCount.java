package io.muster.scheduling.gang;

/** A number of whole GPUs, never negative. */
public record GpuCount(long value) implements Comparable<GpuCount> {

    public GpuCount {
        if (value < 0) {
            throw new IllegalArgumentException("a GPU count is " + value + "; at least 0 is needed");
        }
    }

    public static GpuCount of(long value) {
        return new GpuCount(value);
    }

    @Override
    public int compareTo(GpuCount other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}
