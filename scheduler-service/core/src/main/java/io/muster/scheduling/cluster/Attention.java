package io.muster.scheduling.cluster;

import io.muster.scheduling.gang.JobId;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Which waiting jobs and wounded gangs are worth deciding again: all, after room appeared or quota changed; or only those that changed
 * themselves, because less room never lets anyone start.
 */
public record Attention(boolean all, SortedSet<JobId> jobs) {

    public static final Attention NONE = new Attention(false, Collections.emptySortedSet());
    public static final Attention ALL = new Attention(true, Collections.emptySortedSet());

    public Attention {
        jobs = Collections.unmodifiableSortedSet(new TreeSet<>(jobs));
    }

    public boolean none() {
        return !all && jobs.isEmpty();
    }
}
