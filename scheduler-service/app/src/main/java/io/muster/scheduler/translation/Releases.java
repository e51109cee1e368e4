package io.muster.scheduler.translation;

import io.muster.contract.id.NodeId;
import io.muster.contract.job.JobState;
import io.muster.contract.placement.PlacedMember;
import io.muster.contract.placement.PlacementState;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which members a job's state frees. Only those that it names as released, and only for the generation it speaks of: a
 * job that ended before it took notice of its newest placement keeps that placement until it has answered for it.
 */
public final class Releases {

    private Releases() {}

    public static Set<NodeId> of(JobState job, PlacementState held) {
        Set<NodeId> freed = new TreeSet<>();
        if (job.generation() == held.generation()) {
            for (PlacedMember member : held.members()) {
                if (member.until() == null && job.releasedMembers().contains(member.node())) {
                    freed.add(member.node());
                }
            }
        }
        return freed;
    }
}
