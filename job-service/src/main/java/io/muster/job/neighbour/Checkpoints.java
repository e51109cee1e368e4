package io.muster.job.neighbour;

import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreRequest;

/** What is asked of checkpoint-service. */
public interface Checkpoints {

    /** Choice and fence in one; asked again for the same attempt, the answer stands for the same attempt. */
    Answer<RestoreDecision> restore(RestoreRequest request);
}
