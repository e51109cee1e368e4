package io.muster.job.submission;

import io.muster.contract.id.ProjectId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import io.muster.job.spec.JobSpec;
import java.util.List;

/** A job that may be stored. */
record Submission(
        TenantId tenant,
        ProjectId project,
        QueuePath queue,
        JobSpec spec,
        String submittedSpec,
        List<String> warnings) {
    Submission {
        warnings = List.copyOf(warnings);
    }
}
