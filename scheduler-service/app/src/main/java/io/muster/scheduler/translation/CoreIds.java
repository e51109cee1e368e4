package io.muster.scheduler.translation;

import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;

/** The same ids in the two languages. */
public final class CoreIds {

    private CoreIds() {}

    public static io.muster.scheduling.gang.JobId core(JobId job) {
        return new io.muster.scheduling.gang.JobId(job.value());
    }

    public static io.muster.scheduling.gang.NodeId core(NodeId node) {
        return new io.muster.scheduling.gang.NodeId(node.value());
    }

    public static JobId published(io.muster.scheduling.gang.JobId job) {
        return JobId.of(job.value());
    }

    public static NodeId published(io.muster.scheduling.gang.NodeId node) {
        return NodeId.of(node.value());
    }
}
