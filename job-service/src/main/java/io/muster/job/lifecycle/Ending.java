package io.muster.job.lifecycle;

/**
 * What follows when every process of the attempt is gone, and why. Decided once; only a node that turns out to be lost
 * while the others are being cleared away changes a verdict that came from the attempt's own evidence, and a repair that
 * does not come in time becomes a new placement.
 */
public record Ending(Follow follow, JobReason reason, String message) {

    public enum Follow {
        SUCCEED,
        FAIL,
        CANCEL,
        /** Placed anew, without failing the job. */
        REQUEUE,
        /** Started again by the next attempt on the same nodes, without the scheduler. */
        RESTART,
        /** The healthy members are kept; the next attempt starts when the scheduler has replaced the lost ones. */
        REPAIR
    }

    /** The job keeps its nodes for the next attempt. */
    boolean keepsNodes() {
        return follow == Follow.RESTART || follow == Follow.REPAIR;
    }
}
