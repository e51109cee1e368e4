package io.muster.contract.job;

/** The states of a job (DESIGN.md section 4); the reason beside it says more. */
public enum JobPhase {
    QUEUED,
    STARTING,
    RUNNING,
    RECOVERING,
    SUSPENDED,
    STOPPING,
    SUCCEEDED,
    FAILED,
    CANCELLED;

    public boolean ended() {
        return switch (this) {
            case SUCCEEDED, FAILED, CANCELLED -> true;
            case QUEUED, STARTING, RUNNING, RECOVERING, SUSPENDED, STOPPING -> false;
        };
    }
}
