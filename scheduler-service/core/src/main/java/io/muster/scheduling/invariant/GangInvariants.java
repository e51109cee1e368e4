package io.muster.scheduling.invariant;

import io.muster.scheduling.cluster.ClusterRecord.GangPlaced;
import io.muster.scheduling.cluster.ClusterRecord.GangRepaired;
import io.muster.scheduling.cluster.ClusterView;
import io.muster.scheduling.cluster.GangAllocation;
import io.muster.scheduling.cluster.Member;
import io.muster.scheduling.cluster.NodeClass;
import io.muster.scheduling.gang.DomainType;
import io.muster.scheduling.gang.DriverVersion;
import io.muster.scheduling.gang.GangRequest;
import io.muster.scheduling.gang.GpuCount;
import io.muster.scheduling.gang.GpuModel;
import io.muster.scheduling.gang.JobId;
import io.muster.scheduling.gang.NodeId;
import io.muster.scheduling.gang.PlacementMode;
import io.muster.scheduling.gang.SpreadLimit;
import io.muster.scheduling.quota.QueuePath;
import io.muster.scheduling.quota.QuotaTree;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What holds for a gang right after it was placed or repaired, read from the nodes and the request alone and not from the
 * code that chose: whole, distinct nodes, every hard goal. A placed one is on no spare, and no limit is exceeded at its
 * queue or any ancestor; a repaired one kept its healthy members as they were and is charged what it was.
 */
public final class GangInvariants {

    private final ClusterView view;
    private final GangRequest request;
    private final JobId job;
    private final List<Member> members;
    private final List<String> violations = new ArrayList<>();

    private GangInvariants(ClusterView view, GangRequest request, JobId job, List<Member> members) {
        this.view = view;
        this.request = request;
        this.job = job;
        this.members = members;
    }

    /** {@code view} is the state in which {@code placed} has just been applied. */
    public static List<String> violations(ClusterView view, GangRequest request, GangPlaced placed) {
        GangInvariants check = new GangInvariants(view, request, placed.job(), placed.members());
        check.size();
        for (Member member : placed.members()) {
            check.member(member);
            check.expect(!check.nodeClass(member).spare(), "node %s is a spare", member.node());
        }
        check.together();
        check.limits(placed.queue());
        return List.copyOf(check.violations);
    }

    /** {@code view} is the state in which {@code repaired} has just been applied to {@code wounded}. */
    public static List<String> violations(
            ClusterView view, GangRequest request, GangAllocation wounded, GangRepaired repaired) {
        GangInvariants check = new GangInvariants(view, request, repaired.job(), repaired.members());
        check.size();
        int replaced = 0;
        long charged = 0;
        Map<NodeId, Member> held = wounded.membersByNode();
        for (Member member : repaired.members()) {
            @Nullable Member before = held.get(member.node());
            if (before != null) {
                check.expect(
                        before.rank() == member.rank() && before.gpuMask() == member.gpuMask(),
                        "healthy member %s became %s",
                        before,
                        member);
            } else {
                check.member(member);
                replaced++;
            }
            charged += member.gpuCount();
        }
        check.expect(replaced == wounded.lost().size(), "%s replacements for %s", replaced, wounded.lost());
        check.expect(charged == wounded.chargedGpus(), "%s GPUs charged instead of %s", charged, wounded.chargedGpus());
        check.expect(
                repaired.generation() > wounded.generation(),
                "generation %s after %s",
                repaired.generation(),
                wounded.generation());
        check.together();
        return List.copyOf(check.violations);
    }

    private NodeClass nodeClass(Member member) {
        return view.nodeClass(view.classNumber(view.nodeNumber(member.node())));
    }

    private void size() {
        Set<NodeId> nodes = new HashSet<>();
        for (Member member : members) {
            expect(member.rank() == nodes.size(), "rank %s stands at place %s", member.rank(), nodes.size());
            nodes.add(member.node());
        }
        expect(nodes.size() == request.nodes(), "%s distinct nodes instead of %s", nodes.size(), request.nodes());
    }

    private void member(Member member) {
        int node = view.nodeNumber(member.node());
        NodeClass nodeClass = nodeClass(member);
        expect(
                member.gpuCount() == request.gpusPerNode(),
                "%s GPUs on %s instead of %s",
                member.gpuCount(),
                member.node(),
                request.gpusPerNode());
        expect(
                (member.gpuMask() & view.heldMask(node)) == 0,
                "held GPUs of %s were placed: %s",
                member.node(),
                member.gpus());
        expect(
                request.nodes() == 1 ? nodeClass.takesSmallWork() : nodeClass.takesWork(),
                "node %s takes no such gang: %s",
                member.node(),
                nodeClass);
        expect(
                request.gpuModels().isEmpty() || request.gpuModels().contains(nodeClass.model()),
                "node %s has model %s, asked were %s",
                member.node(),
                nodeClass.model(),
                request.gpuModels());
        @Nullable DriverVersion minimum = request.minDriver();
        expect(
                minimum == null || nodeClass.driver().compareTo(minimum) >= 0,
                "node %s has driver %s, at least %s was asked",
                member.node(),
                nodeClass.driver(),
                String.valueOf(minimum));
        expect(
                !request.avoidNodes().contains(member.node())
                        && !request.failedNodes().contains(member.node()),
                "node %s is excluded",
                member.node());
    }

    private void together() {
        Set<GpuModel> models = new HashSet<>();
        Set<DriverVersion> drivers = new HashSet<>();
        for (Member member : members) {
            NodeClass nodeClass = nodeClass(member);
            models.add(nodeClass.model());
            drivers.add(nodeClass.driver());
        }
        expect(models.size() == 1, "models %s in one gang", models);
        expect(drivers.size() == 1 || !request.equalDriver(), "drivers %s in one gang", drivers);
        DomainType bound = request.mode() == PlacementMode.REQUIRED ? request.within() : DomainType.CLUSTER;
        expect(perDomain(bound).size() == 1, "not within one %s: %s", bound, perDomain(bound));
        @Nullable SpreadLimit spread = request.spread();
        if (spread != null) {
            perDomain(spread.domain())
                    .forEach((domain, nodes) -> expect(
                            nodes <= spread.maxNodes(),
                            "%s nodes in %s, at most %s were allowed",
                            nodes,
                            domain,
                            spread.maxNodes()));
        }
    }

    private Map<String, Integer> perDomain(DomainType type) {
        Map<String, Integer> nodes = new TreeMap<>();
        for (Member member : members) {
            nodes.merge(view.domainName(type, view.nodeNumber(member.node())), 1, Integer::sum);
        }
        return nodes;
    }

    private void limits(QueuePath queue) {
        QuotaTree tree = view.quotaTree();
        for (int at = tree.numberOf(queue); at != QuotaTree.ABSENT; at = tree.parentOf(at)) {
            @Nullable GpuCount limit = tree.node(at).limit();
            expect(
                    limit == null || view.quotaUsed(at) <= limit.value(),
                    "quota node %s uses %s GPUs of %s",
                    tree.node(at).path(),
                    view.quotaUsed(at),
                    String.valueOf(limit));
            expect(
                    !tree.node(at).closing(),
                    "quota node %s is closing",
                    tree.node(at).path());
        }
    }

    private void expect(boolean holds, String sentence, Object... values) {
        if (!holds) {
            violations.add("job " + job + ": " + sentence.formatted(values));
        }
    }
}
