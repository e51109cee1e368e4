package io.muster.agent.attempt;

import io.muster.contract.agent.Assignment;
import io.muster.contract.id.JobId;
import java.util.Comparator;

/** Names an attempt. */
public record AttemptKey(JobId job, int attempt) implements Comparable<AttemptKey> {

    private static final Comparator<AttemptKey> ORDER =
            Comparator.comparing(AttemptKey::job).thenComparingInt(AttemptKey::attempt);

    public static AttemptKey of(Assignment assignment) {
        return new AttemptKey(assignment.jobId(), assignment.attempt());
    }

    @Override
    public int compareTo(AttemptKey other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return job + "/" + attempt;
    }
}
