package io.muster.job.submission;

import io.muster.contract.scheduling.Explanation;
import io.muster.contract.scheduling.FeasibilityAnswer;
import io.muster.job.spec.JobSpec;
import java.util.ArrayList;
import java.util.List;

/** What is allowed and perhaps not meant. */
final class Warnings {

    private Warnings() {}

    static List<String> of(JobSpec spec, FeasibilityAnswer feasibility) {
        List<String> warnings = new ArrayList<>();
        if (spec.checkpoint() == null) {
            warnings.add("checkpoint.uri is not set: whenever the job is started again it begins at step 0");
        }
        JobSpec.Resources resources = spec.resources();
        if (resources.processesPerNode() > resources.gpusPerNode()) {
            warnings.add("resources.processesPerNode is " + resources.processesPerNode() + " and gpusPerNode is "
                    + resources.gpusPerNode() + ": processes will share GPUs");
        }
        Explanation why = feasibility.explanation();
        switch (feasibility.verdict()) {
            case CAN_START_NOW -> {}
            case CAN_START_LATER, NEVER_FITS -> warnings.add(why == null ? "it cannot start at once" : why.sentence());
            case UNKNOWN ->
                warnings.add(
                        "whether the job can ever fit is not known yet, because scheduler-service did not answer in time; see /explanation later");
        }
        return List.copyOf(warnings);
    }
}
