package io.muster.job.neighbour;

import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.node.Fitness;
import io.muster.contract.node.PreflightVerdict;

/** What is asked of health-service. */
public interface Health {

    Answer<PreflightVerdict> preflightVerdict(JobId job, int attempt);

    /** Whether work may be on a node: the truth, not a copy of it. */
    Answer<Fitness> fitness(NodeId node);
}
