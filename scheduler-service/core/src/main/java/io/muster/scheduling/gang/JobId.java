package io.muster.scheduling.gang;

/** A job's id, as job-service gave it. */
public record JobId(String value) implements Comparable<JobId> {

    public JobId {
        if (value.isBlank()) {
            throw new IllegalArgumentException("a job id is blank");
        }
    }

    @Override
    public int compareTo(JobId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
