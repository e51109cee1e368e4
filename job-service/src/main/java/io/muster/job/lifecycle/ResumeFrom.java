package io.muster.job.lifecycle;

import io.muster.job.spec.JobSpec;

/**
 * From where an attempt is to start. The first start, and every start until ranks have run, is what the spec says. Once
 * ranks have run, the job goes on from its own newest commit: {@code none} was about the beginning, not about losing
 * work. A named checkpoint stays the start as long as the job has committed nothing itself.
 */
final class ResumeFrom {

    private static final String LATEST = "latest";
    private static final String NONE = "none";

    private ResumeFrom() {}

    static String of(JobSpec spec, boolean ranBefore, boolean hasOwnCheckpoint) {
        JobSpec.Checkpoint checkpoint = spec.checkpoint();
        if (checkpoint == null) {
            return NONE;
        }
        boolean named = !checkpoint.resumeFrom().equals(LATEST)
                && !checkpoint.resumeFrom().equals(NONE);
        if (!ranBefore || named && !hasOwnCheckpoint) {
            return checkpoint.resumeFrom();
        }
        return LATEST;
    }
}
