package io.muster.contract.fault;

import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import java.util.List;

/**
 * What a fault touched when it opened, and since.
 *
 * @param nodes in the order of their names
 * @param jobs jobs that held a GPU there
 * @param gpus GPUs that these jobs held there
 * @param tenants how many tenants these jobs belong to
 */
public record BlastRadius(List<NodeId> nodes, List<JobId> jobs, int gpus, int tenants) {
    public BlastRadius {
        nodes = List.copyOf(nodes);
        jobs = List.copyOf(jobs);
    }
}
