package io.muster.job.lifecycle;

import io.muster.contract.job.JobPhase;

/** Something that happened to a job at one moment, beside the spans of its states. */
public record TimelineNote(JobPhase phase, Code code, String message, int attempt, int generation) {

    /** Stable, part of the API: an entry of the timeline whose reason is one of these lasts no time. */
    public enum Code {
        NODE_LOST,
        GANG_WOUNDED,
        GANG_REPAIRED,
        ATTEMPT_STARTED,
        RESTORED,
        STARTED_FRESH,
        FIRST_STEP
    }
}
