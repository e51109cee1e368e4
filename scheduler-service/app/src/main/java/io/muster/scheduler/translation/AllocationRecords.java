package io.muster.scheduler.translation;

import io.muster.contract.placement.PlacedMember;
import io.muster.contract.placement.PlacementState;
import io.muster.scheduling.cluster.ClusterRecord.GangPlaced;
import io.muster.scheduling.cluster.Member;
import io.muster.scheduling.gang.JobId;
import io.muster.scheduling.gang.NodeId;
import io.muster.scheduling.quota.QueuePath;
import java.util.List;

/** What the core is told of an allocation that was committed before this process began to decide. */
public final class AllocationRecords {

    private AllocationRecords() {}

    /**
     * The gang with the members that still hold GPUs. Freed members are left out: their GPUs may be another gang's by
     * now.
     */
    public static GangPlaced live(PlacementState state) {
        List<Member> held = state.members().stream()
                .filter(member -> member.until() == null)
                .map(AllocationRecords::member)
                .toList();
        return new GangPlaced(
                new JobId(state.jobId().value()),
                state.generation(),
                new QueuePath(state.queue().value()),
                held);
    }

    private static Member member(PlacedMember member) {
        return new Member(
                member.nodeRank(), new NodeId(member.node().value()), Member.maskOf(member.gpus()), member.since());
    }
}
