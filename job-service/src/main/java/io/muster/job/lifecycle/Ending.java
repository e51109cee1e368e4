package io.muster.job.lifecycle;

/** What follows when every process of the attempt is gone, and why; decided once, never changed by later evidence. */
public record Ending(Follow follow, JobReason reason, String message) {

    public enum Follow {
        SUCCEED,
        FAIL,
        CANCEL,
        /** Placed anew, without failing the job. */
        REQUEUE
    }
}
