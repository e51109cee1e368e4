package io.muster.scheduling.cluster;

import io.muster.scheduling.gang.JobId;
import io.muster.scheduling.gang.NodeId;
import io.muster.scheduling.quota.QueuePath;
import java.util.List;
import java.util.Optional;

/**
 * What a job holds: the members not freed yet, in rank order. It was placed whole with {@code placedNodes} members and
 * ends when the last one is freed.
 */
public record GangAllocation(JobId job, int generation, QueuePath queue, int placedNodes, List<Member> members) {

    public GangAllocation {
        members = List.copyOf(members);
    }

    /** GPUs still held. */
    public long gpus() {
        long gpus = 0;
        for (Member member : members) {
            gpus += member.gpuCount();
        }
        return gpus;
    }

    public Optional<Member> memberOn(NodeId node) {
        return members.stream().filter(member -> member.node().equals(node)).findFirst();
    }

    GangAllocation without(NodeId node) {
        return new GangAllocation(
                job,
                generation,
                queue,
                placedNodes,
                members.stream().filter(member -> !member.node().equals(node)).toList());
    }
}
