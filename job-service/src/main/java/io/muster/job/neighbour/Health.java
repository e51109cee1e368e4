package io.muster.job.neighbour;

import io.muster.contract.id.JobId;
import io.muster.contract.node.PreflightVerdict;

/** What is asked of health-service. */
public interface Health {

    Answer<PreflightVerdict> preflightVerdict(JobId job, int attempt);
}
