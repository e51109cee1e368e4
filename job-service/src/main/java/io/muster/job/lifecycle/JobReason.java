package io.muster.job.lifecycle;

/** Why a job is in its state: stable codes beside the phase, part of the API. */
public enum JobReason {
    SUBMITTED,
    REQUEUED,
    WAITING_FOR_CHECKPOINT_SERVICE,
    WAITING_FOR_NODE_FACTS,
    PREFLIGHT_RUNNING,
    RANKS_STARTING,
    ALL_RANKS_UP,
    /** Something broke; why is decided when every node has shown its part. */
    WAITING_FOR_EVIDENCE,
    PREFLIGHT_FAILED,
    NODE_LOST,
    /** Agents with a living lease have shown nothing of a broken attempt for too long. */
    EVIDENCE_MISSING,
    /** Of the checkpoint to restore a shard has no whole copy anywhere. */
    CHECKPOINT_DAMAGED,
    /** A copy of the checkpoint to restore cannot be reached now; it is tried again for as long as it takes. */
    WAITING_FOR_CHECKPOINT_COPY,
    AGENT_DOWN,
    OUT_OF_MEMORY,
    START_FAILED,
    /** Not every rank has said hello within the start limit. */
    START_TIMEOUT,
    USER_ERROR,
    KILLED_BY_SIGNAL,
    LOST_CONNECTION,
    PROCESSES_LOST,
    RESTORE_REFUSED,
    MAX_RUNTIME_EXCEEDED,
    CANCELLED_BY_USER,
    COMPLETED
}
