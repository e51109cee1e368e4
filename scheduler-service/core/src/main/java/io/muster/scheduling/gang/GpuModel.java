package io.muster.scheduling.gang;

/** A GPU model's name, such as H200; names are equal or different, never ordered by strength. */
public record GpuModel(String value) implements Comparable<GpuModel> {

    public GpuModel {
        if (value.isBlank()) {
            throw new IllegalArgumentException("a GPU model is blank");
        }
    }

    @Override
    public int compareTo(GpuModel other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
