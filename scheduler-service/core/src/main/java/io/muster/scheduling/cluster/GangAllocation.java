package io.muster.scheduling.cluster;

import io.muster.scheduling.gang.JobId;
import io.muster.scheduling.gang.NodeId;
import io.muster.scheduling.quota.QueuePath;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a job holds: the members not freed yet, in rank order. It was placed whole with {@code placedNodes} members and
 * ends when the last one is freed.
 *
 * <p>A lost member was taken from the gang because its node failed: its GPUs are free, its place in the gang and in the
 * quota is kept for a replacement. Both end with the first member that is given back, because such a gang is on its way
 * out and is never repaired.
 *
 * @param lost in rank order
 */
public record GangAllocation(
        JobId job, int generation, QueuePath queue, int placedNodes, List<Member> members, List<Member> lost) {

    public GangAllocation {
        members = List.copyOf(members);
        lost = List.copyOf(lost);
    }

    /** GPUs still held. */
    public long gpus() {
        return gpus(members);
    }

    /** GPUs that count against the quota: those held, and those of lost members while the gang may be repaired. */
    public long chargedGpus() {
        return repairable() ? gpus() + gpus(lost) : gpus();
    }

    /** Some members are lost and no other was given back. */
    public boolean repairable() {
        return !lost.isEmpty() && members.size() + lost.size() == placedNodes;
    }

    public Optional<Member> memberOn(NodeId node) {
        return members.stream().filter(member -> member.node().equals(node)).findFirst();
    }

    /** For whoever asks about many nodes: a gang of 10,000 is gone through once and not for each. */
    public Map<NodeId, Member> membersByNode() {
        Map<NodeId, Member> found = HashMap.newHashMap(members.size());
        members.forEach(member -> found.put(member.node(), member));
        return found;
    }

    /** The members that stayed, unchanged, and one on another node in the rank of each lost one. */
    boolean isMadeWholeBy(List<Member> whole) {
        Set<Integer> open = new HashSet<>();
        lost.forEach(member -> open.add(member.rank()));
        Map<NodeId, Member> before = membersByNode();
        Set<NodeId> nodes = new HashSet<>();
        for (Member member : whole) {
            @Nullable Member held = before.get(member.node());
            boolean stays = held != null && held.rank() == member.rank() && held.gpuMask() == member.gpuMask();
            if (!nodes.add(member.node()) || (!stays && !open.remove(member.rank()))) {
                return false;
            }
        }
        return repairable() && whole.size() == placedNodes;
    }

    /** Without a member that was given back. */
    GangAllocation without(NodeId node) {
        return new GangAllocation(job, generation, queue, placedNodes, others(node), lost);
    }

    /** With a member less and a lost one more. */
    GangAllocation wounded(Member member) {
        List<Member> union = new ArrayList<>(lost);
        union.add(member);
        union.sort(Comparator.comparingInt(Member::rank));
        return new GangAllocation(job, generation, queue, placedNodes, others(member.node()), union);
    }

    private List<Member> others(NodeId node) {
        return members.stream().filter(member -> !member.node().equals(node)).toList();
    }

    private static long gpus(List<Member> members) {
        long gpus = 0;
        for (Member member : members) {
            gpus += member.gpuCount();
        }
        return gpus;
    }
}
