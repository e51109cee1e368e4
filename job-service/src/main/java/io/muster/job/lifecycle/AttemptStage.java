package io.muster.job.lifecycle;

/** How far job-service has led an attempt, in this order. */
public enum AttemptStage {
    /** The restore decision, or facts of a node, are awaited; no agent knows of the attempt. */
    AWAITING_RESTORE,
    PREFLIGHT,
    /** Ranks may be started. */
    RUN,
    STOPPING,
    /** No process of it is left. */
    ENDED
}
