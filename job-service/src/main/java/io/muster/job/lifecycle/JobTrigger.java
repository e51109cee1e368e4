package io.muster.job.lifecycle;

/** What can move a job from one state to another. */
enum JobTrigger {
    /** The scheduler has placed the gang. */
    PLACED,
    /** Every rank has reported that it is up. */
    ALL_RANKS_UP,
    /** The attempt is broken and being cleared away; another one is to follow. */
    INTERRUPTED,
    /** Cleared away; the job waits for a new placement. */
    REQUEUED,
    /** How the job ends is decided; its processes are being ended. */
    ENDING_DECIDED,
    /** A planned stop that keeps the job: preemption, or a person's wish. */
    SUSPENDED,
    /** A suspended job wants to run again. */
    RESUMED,
    /** Cancelled while nothing of it runs. */
    DROPPED,
    /** Nothing of the job runs any more, and it had succeeded. */
    GONE_AFTER_SUCCESS,
    GONE_AFTER_FAILURE,
    GONE_AFTER_CANCEL
}
