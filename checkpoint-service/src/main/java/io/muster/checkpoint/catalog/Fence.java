package io.muster.checkpoint.catalog;

import io.muster.contract.id.JobId;

/** Whether an attempt acts, for features that only need to know that. */
public sealed interface Fence {

    /** The attempt is the newest one. */
    record Acting() implements Fence {}

    /** A later attempt has begun; this one never acts again. */
    record Passed(String message) implements Fence {}

    /** The attempt has not been told where to start; the same request may succeed a little later. */
    record NotBegun(String message) implements Fence {}

    static Fence of(JobId job, int attempt, int fence) {
        if (attempt < fence) {
            return new Passed(passed(job, attempt, fence));
        }
        return attempt > fence ? new NotBegun(notBegun(job, attempt, fence)) : new Acting();
    }

    static String passed(JobId job, int attempt, int fence) {
        return "attempt " + attempt + " of " + job + " is over: attempt " + fence
                + " has begun, and nothing of an earlier one is taken any more";
    }

    static String notBegun(JobId job, int attempt, int fence) {
        return "attempt " + attempt + " of " + job + " has not been told where to start yet; the newest that has is "
                + fence;
    }
}
