package io.muster.scheduler.translation;

import io.muster.contract.placement.PlacedMember;
import io.muster.contract.placement.PlacementState;
import io.muster.scheduling.cluster.ClusterRecord.GangKnown;
import io.muster.scheduling.cluster.GangAllocation;
import io.muster.scheduling.cluster.Member;
import io.muster.scheduling.gang.JobId;
import io.muster.scheduling.gang.NodeId;
import io.muster.scheduling.quota.QueuePath;
import java.util.List;
import java.util.function.Predicate;

/** What the core is told of an allocation that was committed before this process began to decide. */
public final class AllocationRecords {

    private AllocationRecords() {}

    /**
     * The gang with the members that still hold GPUs and those that it lost. Members that were given back are left out:
     * their GPUs may be another gang's by now.
     */
    public static GangKnown live(PlacementState state) {
        return new GangKnown(new GangAllocation(
                new JobId(state.jobId().value()),
                state.generation(),
                new QueuePath(state.queue().value()),
                state.members().size(),
                members(state, member -> member.until() == null),
                members(state, member -> state.lost().contains(member.node()))));
    }

    private static List<Member> members(PlacementState state, Predicate<PlacedMember> which) {
        return state.members().stream()
                .filter(which)
                .map(AllocationRecords::member)
                .toList();
    }

    private static Member member(PlacedMember member) {
        return new Member(
                member.nodeRank(), new NodeId(member.node().value()), Member.maskOf(member.gpus()), member.since());
    }
}
