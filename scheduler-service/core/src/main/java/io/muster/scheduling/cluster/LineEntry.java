package io.muster.scheduling.cluster;

import io.muster.scheduling.gang.JobId;

/** A place in the line of waiting jobs: priority, then requeued gangs, then order of submission, then id. */
public record LineEntry(int priority, boolean requeued, long submission, JobId job) implements Comparable<LineEntry> {

    static LineEntry of(KnownJob job) {
        Demand demand = job.demand();
        return new LineEntry(demand.priority(), demand.requeued(), demand.submission(), job.job());
    }

    @Override
    public int compareTo(LineEntry other) {
        int order = Integer.compare(other.priority, priority);
        if (order == 0) {
            order = Boolean.compare(other.requeued, requeued);
        }
        if (order == 0) {
            order = Long.compare(submission, other.submission);
        }
        return order == 0 ? job.compareTo(other.job) : order;
    }
}
