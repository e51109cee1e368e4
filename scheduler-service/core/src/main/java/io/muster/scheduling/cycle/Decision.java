package io.muster.scheduling.cycle;

import io.muster.scheduling.cluster.ClusterRecord.GangPlaced;
import io.muster.scheduling.cluster.ClusterRecord.GangRepaired;
import io.muster.scheduling.explain.Explanation;
import io.muster.scheduling.gang.JobId;
import io.muster.scheduling.placement.Placement;
import io.muster.scheduling.placement.RepairPlan;

/** What was decided for a job that wants a placement, or a repair of what it has. */
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

    /** Its wounded gang is whole again; {@code record} is already applied to the working copy that decided. */
    record Repaired(GangRepaired record, RepairPlan plan) implements Decision {

        @Override
        public JobId job() {
            return record.job();
        }

        public int generation() {
            return record.generation();
        }
    }

    /** Its wounded gang keeps what it holds; not all lost members can be replaced now. */
    record Unrepaired(JobId job, Explanation explanation) implements Decision {}

    /** It can start once others release GPUs or nodes come back. */
    record Waiting(JobId job, Explanation explanation) implements Decision {}

    /** It cannot start however long it waits; the request, the quota or the cluster must change. */
    record Impossible(JobId job, Explanation explanation) implements Decision {}
}
