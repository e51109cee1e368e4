package io.muster.job.lifecycle;

/**
 * What follows when every process of the attempt is gone, and why. Decided once; only a node that turns out to be lost
 * while the others are being cleared away changes a verdict that came from the attempt's own evidence.
 */
public record Ending(Follow follow, JobReason reason, String message) {

    public enum Follow {
        SUCCEED,
        FAIL,
        CANCEL,
        /** Placed anew, without failing the job. */
        REQUEUE,
        /** Started again by the next attempt on the same nodes, without the scheduler. */
        RESTART
    }
}
