package io.muster.job.lifecycle;

import io.muster.contract.id.JobId;
import org.springframework.stereotype.Component;

/** A person no longer wants a job; who may say so is decided before. */
@Component
public class CancelJob {

    private final JobWriter writer;

    CancelJob(JobWriter writer) {
        this.writer = writer;
    }

    public void cancel(JobId id) {
        writer.change(id, AttemptDecisions::cancelled);
    }
}
