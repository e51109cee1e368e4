package io.muster.job.submission;

import io.muster.contract.id.JobId;
import io.muster.contract.scheduling.FeasibilityAnswer;
import io.muster.job.query.JobView;
import io.muster.job.spec.JobSpec;
import io.muster.job.spec.SpecWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What would happen to a job; nothing is stored. */
record DryRun(Map<String, Object> effectiveSpec, List<String> warnings, FeasibilityAnswer feasibility) {

    static DryRun of(JobSpec spec, List<String> warnings, FeasibilityAnswer feasibility, Optional<JobId> sameName) {
        List<String> all = new ArrayList<>(warnings);
        sameName.ifPresent(job -> all.add("name '" + spec.name() + "' is taken by " + JobView.path(job)
                + ", which is still live; submitted now, this job would be refused with 409"));
        return new DryRun(SpecWriter.write(spec), List.copyOf(all), feasibility);
    }
}
