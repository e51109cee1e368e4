package io.muster.job.neighbour;

import io.muster.contract.id.JobId;
import io.muster.contract.scheduling.Explanation;
import io.muster.contract.scheduling.FeasibilityAnswer;
import io.muster.contract.scheduling.FeasibilityRequest;
import java.util.Optional;

/** What is asked of scheduler-service. */
public interface Scheduler {

    Answer<FeasibilityAnswer> feasibility(FeasibilityRequest request);

    /** Given and empty: the scheduler has not looked at the job yet. */
    Answer<Optional<Explanation>> explanation(JobId job);
}
