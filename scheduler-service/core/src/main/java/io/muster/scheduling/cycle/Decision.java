package io.muster.scheduling.cycle;

import io.muster.scheduling.cluster.ClusterRecord.GangPlaced;
import io.muster.scheduling.explain.Explanation;
import io.muster.scheduling.gang.JobId;
import io.muster.scheduling.placement.Placement;

/** What was decided for a job that wants a placement. */
public sealed interface Decision {

    JobId job();

    /** It has its GPUs; {@code record} is already applied to the working copy that decided. */
    record Placed(GangPlaced record, Placement placement) implements Decision {

        @Override
        public JobId job() {
            return record.job();
        }

        public int generation() {
            return record.generation();
        }
    }

    /** It can start once others release GPUs or nodes come back. */
    record Waiting(JobId job, Explanation explanation) implements Decision {}

    /** It cannot start however long it waits; the request, the quota or the cluster must change. */
    record Impossible(JobId job, Explanation explanation) implements Decision {}
}
