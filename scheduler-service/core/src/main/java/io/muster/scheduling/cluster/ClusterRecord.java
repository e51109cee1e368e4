package io.muster.scheduling.cluster;

import io.muster.scheduling.gang.DriverVersion;
import io.muster.scheduling.gang.GangRequest;
import io.muster.scheduling.gang.GpuModel;
import io.muster.scheduling.gang.JobId;
import io.muster.scheduling.gang.NodeId;
import io.muster.scheduling.quota.QueuePath;
import io.muster.scheduling.quota.QuotaTree;
import java.util.List;
import java.util.Set;

/**
 * Everything that can change the cluster image. The image is a function of its records in order; how they are batched
 * makes no difference.
 */
public sealed interface ClusterRecord {

    /**
     * The whole state of a node. Under an EVICT effect every member on it is lost at once.
     *
     * @param heldGpus GPUs that may not be placed although the node may, bit i for GPU i
     * @param effects union of the effects of all holds on the node and its domains
     * @param spare kept for repairs
     */
    record NodeChanged(
            NodeId node,
            GpuModel model,
            DriverVersion driver,
            int gpus,
            long heldGpus,
            NodeDomains domains,
            Set<HoldEffect> effects,
            boolean alive,
            boolean spare)
            implements ClusterRecord {

        public NodeChanged {
            if (gpus < 0 || gpus > GangRequest.MAX_GPUS_PER_NODE) {
                throw new IllegalArgumentException("node " + node + " has " + gpus + " GPUs; 0 to "
                        + GangRequest.MAX_GPUS_PER_NODE + " are possible");
            }
            effects = Set.copyOf(effects);
        }
    }

    /** The node left the registry; every member on it is lost. */
    record NodeRemoved(NodeId node) implements ClusterRecord {}

    /** The whole state of a job as far as the scheduler cares. */
    record JobChanged(JobId job, Demand demand, JobWish wish, int seenGeneration) implements ClusterRecord {}

    /** A gang got its GPUs, whole. {@code generation} is higher than any before it of this job. */
    record GangPlaced(JobId job, int generation, QueuePath queue, List<Member> members) implements ClusterRecord {

        public GangPlaced {
            members = List.copyOf(members);
            if (members.isEmpty()) {
                throw new IllegalArgumentException("a gang of job " + job + " without members");
            }
        }
    }

    /**
     * A wounded gang is whole again as its next generation: the members that stayed as they were, and replacements in the
     * ranks of the lost ones. The place in the quota is the one that was kept.
     */
    record GangRepaired(JobId job, int generation, List<Member> members) implements ClusterRecord {

        public GangRepaired {
            members = List.copyOf(members);
        }
    }

    /** The member's node failed; of another generation, or for a member that is not held any more, it means nothing. */
    record MemberLost(JobId job, int generation, NodeId node) implements ClusterRecord {}

    /** The job's processes on this node are confirmed gone; of another generation it means nothing. */
    record MemberReleased(JobId job, int generation, NodeId node) implements ClusterRecord {}

    /** All members at once are confirmed gone; of another generation it means nothing. */
    record GangReleased(JobId job, int generation) implements ClusterRecord {}

    /** Loads, after a restart, an allocation of which something is still held: with its wounds, without what was given back. */
    record GangKnown(GangAllocation gang) implements ClusterRecord {}

    /** Loads, after a restart, the newest generation of a job whose allocation has ended. */
    record GenerationKnown(JobId job, int generation) implements ClusterRecord {}

    record QuotaTreeChanged(QuotaTree tree) implements ClusterRecord {}
}
