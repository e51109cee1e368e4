package io.muster.scheduling.placement;

import io.muster.scheduling.cluster.Cell;
import io.muster.scheduling.cluster.ClusterView;
import io.muster.scheduling.cluster.GangAllocation;
import io.muster.scheduling.cluster.Member;
import io.muster.scheduling.cluster.NodeClass;
import io.muster.scheduling.gang.DomainType;
import io.muster.scheduling.gang.GangRequest;
import io.muster.scheduling.gang.NodeId;
import io.muster.scheduling.placement.NodeCensus.Count;
import io.muster.scheduling.placement.goal.ClassGoal;
import io.muster.scheduling.placement.goal.ExclusionGoal;
import io.muster.scheduling.placement.goal.FreeGpuGoal;
import io.muster.scheduling.placement.goal.JoiningGoal;
import io.muster.scheduling.placement.goal.NodeRefusal;
import io.muster.scheduling.placement.goal.SpareGoal;
import io.muster.scheduling.placement.goal.SpreadGoal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Which nodes can replace the lost members of a wounded gang, all or none. Hard goals are those of the request, met by
 * the whole gang with the members that stay; only the mark as spare does not keep a node out. Then the earlier wins:
 * a spare; the tightest domain for the whole gang; nearest to a member that stays; whole nodes kept whole; the fullest
 * node. Equals are decided by number.
 *
 * <p>It is complete: nodes are judged one by one except under a spread limit, and under that taking in any order ends
 * with the most nodes possible. It visits every node, which a new gang's decision does not: losses are rare, and the
 * same look explains a repair that must wait.
 *
 * @param chosen node numbers, best first; fewer than were lost if the gang cannot be repaired now
 * @param registered nodes of the cluster
 * @param fitting nodes that could be a replacement now, each by itself
 * @param freeGpus free GPUs on the fitting nodes
 * @param spares nodes marked as spare
 * @param fittingSpares those of them that fit
 * @param counts the other nodes by the first goal that refused them, most first; members that stay are left out
 */
public record RepairSurvey(
        GangAllocation gang,
        GangRequest request,
        List<Integer> chosen,
        int registered,
        int fitting,
        long freeGpus,
        int spares,
        int fittingSpares,
        List<Count> counts) {

    /** A node that fits by itself; the better one is the lesser. */
    private record Candidate(int node, boolean spare, int level, int nearest, boolean breaksWhole, int freeGpus)
            implements Comparable<Candidate> {

        @Override
        public int compareTo(Candidate other) {
            int order = Boolean.compare(other.spare, spare);
            order = order == 0 ? Integer.compare(level, other.level) : order;
            order = order == 0 ? Integer.compare(nearest, other.nearest) : order;
            order = order == 0 ? Boolean.compare(breaksWhole, other.breaksWhole) : order;
            order = order == 0 ? Integer.compare(freeGpus, other.freeGpus) : order;
            return order == 0 ? Integer.compare(node, other.node) : order;
        }
    }

    public RepairSurvey {
        chosen = List.copyOf(chosen);
        counts = List.copyOf(counts);
    }

    public static RepairSurvey of(ClusterView view, GangAllocation gang, GangRequest request) {
        return new Look(view, gang, request).survey();
    }

    public boolean fitsNow() {
        return chosen.size() == gang.lost().size();
    }

    public int refused(NodeRefusal reason) {
        return counts.stream()
                .filter(count -> count.reason() == reason)
                .mapToInt(Count::nodes)
                .sum();
    }

    /** The repaired gang, if it fits; {@code view} is the one that was surveyed. Members hold their GPUs from {@code since}. */
    public Optional<RepairPlan> plan(ClusterView view, Instant since) {
        if (!fitsNow()) {
            return Optional.empty();
        }
        List<Member> joining = TopologyOrder.members(view, request.gpusPerNode(), chosen, since);
        List<Member> members = new ArrayList<>();
        gang.members()
                .forEach(member -> members.add(new Member(member.rank(), member.node(), member.gpuMask(), since)));
        for (int at = 0; at < joining.size(); at++) {
            Member member = joining.get(at);
            members.add(new Member(gang.lost().get(at).rank(), member.node(), member.gpuMask(), since));
        }
        members.sort(Comparator.comparingInt(Member::rank));
        List<Integer> nodes =
                members.stream().map(member -> view.nodeNumber(member.node())).toList();
        DomainType reached = TopologyOrder.reachedLevel(view, nodes);
        List<NodeId> replacements = joining.stream().map(Member::node).toList();
        return Optional.of(new RepairPlan(members, replacements, reached, view.domainName(reached, nodes.getFirst())));
    }

    /** One look at all nodes. */
    private static final class Look {

        private final ClusterView view;
        private final GangAllocation gang;
        private final GangRequest request;
        private final BitSet staying = new BitSet();
        private final JoiningGoal joining;
        private final SpreadGoal spread;
        private final @Nullable NodeRefusal[] byClass;

        Look(ClusterView view, GangAllocation gang, GangRequest request) {
            this.view = view;
            this.gang = gang;
            this.request = request;
            List<Integer> nodes = gang.members().stream()
                    .map(member -> view.nodeNumber(member.node()))
                    .toList();
            nodes.forEach(staying::set);
            this.joining = new JoiningGoal(view, request, nodes);
            this.spread = new SpreadGoal(view, request);
            nodes.forEach(node -> spread.take(view.cell(view.cellNumber(node)), 1));
            this.byClass = new NodeRefusal[view.classCount()];
            for (int number = 0; number < byClass.length; number++) {
                byClass[number] = classRefusal(view.nodeClass(number));
            }
        }

        private @Nullable NodeRefusal classRefusal(NodeClass nodeClass) {
            @Nullable NodeRefusal refusal = joining.refusal(nodeClass).orElse(null);
            for (ClassGoal goal : ClassGoal.ORDERED) {
                if (!(goal instanceof SpareGoal)) {
                    refusal = earlier(refusal, goal.refusal(request, nodeClass).orElse(null));
                }
            }
            return refusal;
        }

        private static @Nullable NodeRefusal earlier(@Nullable NodeRefusal left, @Nullable NodeRefusal right) {
            if (left == null || right == null) {
                return left == null ? right : left;
            }
            return left.compareTo(right) <= 0 ? left : right;
        }

        RepairSurvey survey() {
            List<Candidate> candidates = new ArrayList<>();
            RefusalTally refused = new RefusalTally();
            int registered = 0;
            int spares = 0;
            for (int node = 0; node < view.nodeCount(); node++) {
                if (!view.registered(node)) {
                    continue;
                }
                registered++;
                spares += view.nodeClass(view.classNumber(node)).spare() ? 1 : 0;
                if (staying.get(node)) {
                    continue;
                }
                @Nullable NodeRefusal refusal = refusal(node);
                if (refusal == null) {
                    candidates.add(candidate(node));
                } else {
                    refused.add(refusal, view.nodeId(node));
                }
            }
            return new RepairSurvey(
                    gang,
                    request,
                    choose(candidates),
                    registered,
                    candidates.size(),
                    candidates.stream().mapToLong(Candidate::freeGpus).sum(),
                    spares,
                    (int) candidates.stream().filter(Candidate::spare).count(),
                    refused.counts());
        }

        private @Nullable NodeRefusal refusal(int node) {
            Cell cell = view.cell(view.cellNumber(node));
            @Nullable NodeRefusal refusal = byClass[view.classNumber(node)];
            refusal = earlier(refusal, joining.refusal(cell).orElse(null));
            if (spread.exceeded() || !spread.allows(cell)) {
                refusal = earlier(refusal, NodeRefusal.SPREAD_USED_UP);
            }
            refusal = earlier(
                    refusal, ExclusionGoal.refusal(request, view.nodeId(node)).orElse(null));
            return earlier(
                    refusal, FreeGpuGoal.refusal(request, view.freeGpus(node)).orElse(null));
        }

        private Candidate candidate(int node) {
            Cell cell = view.cell(view.cellNumber(node));
            NodeClass nodeClass = view.nodeClass(view.classNumber(node));
            int free = view.freeGpus(node);
            boolean breaksWhole = request.gpusPerNode() > 0 && free == nodeClass.gpus() && free > request.gpusPerNode();
            return new Candidate(
                    node, nodeClass.spare(), joining.levelWith(cell), joining.nearest(cell), breaksWhole, free);
        }

        private List<Integer> choose(List<Candidate> candidates) {
            PriorityQueue<Candidate> best = new PriorityQueue<>(candidates);
            List<Integer> chosen = new ArrayList<>();
            while (chosen.size() < gang.lost().size() && !best.isEmpty()) {
                Candidate candidate = best.remove();
                Cell cell = view.cell(view.cellNumber(candidate.node()));
                if (spread.allows(cell)) {
                    spread.take(cell, 1);
                    chosen.add(candidate.node());
                }
            }
            return chosen;
        }
    }
}
