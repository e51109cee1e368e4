package io.muster.scheduling.invariant;

import io.muster.scheduling.cluster.ClusterView;
import io.muster.scheduling.cluster.GangAllocation;
import io.muster.scheduling.cluster.JobWish;
import io.muster.scheduling.cluster.KnownJob;
import io.muster.scheduling.cluster.Member;
import io.muster.scheduling.gang.JobId;
import io.muster.scheduling.gang.NodeId;
import io.muster.scheduling.quota.QuotaTree;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * What holds in every state: no GPU twice, none held on a node that is gone or evicted, no member missing from the books,
 * a wounded gang whole but for its lost members and everything else whole or on its way out, quota use = sum of
 * allocations and of kept places at every ancestor, the line = the jobs that want and hold nothing, the repairs = the
 * wounded gangs that are wanted whole, every summary = its recount. Each violation is one sentence; the list is empty when all is well.
 */
public final class PlacementInvariants {

    private final ClusterView view;
    private final List<String> violations = new ArrayList<>();

    private PlacementInvariants(ClusterView view) {
        this.view = view;
    }

    public static List<String> violations(ClusterView view) {
        PlacementInvariants check = new PlacementInvariants(view);
        check.gpus();
        check.quota();
        check.line();
        check.repairs();
        check.violations.addAll(SummaryInvariants.violations(view));
        return List.copyOf(check.violations);
    }

    private void gpus() {
        Map<NodeId, Long> held = new TreeMap<>();
        Map<NodeId, Integer> members = new TreeMap<>();
        for (Map.Entry<JobId, GangAllocation> entry : view.allocations()) {
            GangAllocation gang = entry.getValue();
            whole(gang);
            for (Member member : gang.members()) {
                long before = held.getOrDefault(member.node(), 0L);
                expect(
                        (before & member.gpuMask()) == 0,
                        "job %s holds GPUs %s of node %s and so does another",
                        gang.job(),
                        member.gpus(),
                        member.node());
                expect(
                        view.residents(member.node()).contains(gang.job()),
                        "node %s does not know its resident %s",
                        member.node(),
                        gang.job());
                held.put(member.node(), before | member.gpuMask());
                members.merge(member.node(), 1, Integer::sum);
            }
        }
        for (int node = 0; node < view.nodeCount(); node++) {
            NodeId id = view.nodeId(node);
            long mask = held.getOrDefault(id, 0L);
            expect(
                    view.usedMask(node) == mask,
                    "node %s has used GPUs %x, its allocations say %x",
                    id,
                    view.usedMask(node),
                    mask);
            expect(
                    view.residents(id).size() == members.getOrDefault(id, 0),
                    "node %s knows residents %s, allocations have %s members there",
                    id,
                    view.residents(id),
                    members.getOrDefault(id, 0));
            boolean out = !view.registered(node)
                    || view.nodeClass(view.classNumber(node)).evicts();
            expect(!out || view.residents(id).isEmpty(), "node %s is out and still has %s", id, view.residents(id));
        }
    }

    private void whole(GangAllocation gang) {
        Set<NodeId> nodes = new HashSet<>();
        gang.members().forEach(member -> nodes.add(member.node()));
        int size = gang.members().size();
        expect(nodes.size() == size, "job %s has two members on one node: %s", gang.job(), gang.members());
        expect(
                size >= 1 && size + gang.lost().size() <= gang.placedNodes(),
                "job %s holds %s of %s members and lost %s",
                gang.job(),
                size,
                gang.placedNodes(),
                gang.lost());
        Set<Integer> ranks = new HashSet<>();
        gang.members().forEach(member -> ranks.add(member.rank()));
        gang.lost().forEach(member -> ranks.add(member.rank()));
        expect(
                ranks.size() == size + gang.lost().size()
                        && ranks.stream().allMatch(rank -> rank >= 0 && rank < gang.placedNodes()),
                "job %s has a rank twice or none: %s and lost %s",
                gang.job(),
                gang.members(),
                gang.lost());
        expect(
                view.lastGeneration(gang.job()) >= gang.generation(),
                "job %s holds generation %s, the newest known is %s",
                gang.job(),
                gang.generation(),
                view.lastGeneration(gang.job()));
    }

    private void quota() {
        QuotaTree tree = view.quotaTree();
        long[] used = new long[tree.size()];
        for (Map.Entry<JobId, GangAllocation> entry : view.allocations()) {
            GangAllocation gang = entry.getValue();
            for (int at = tree.accountOf(gang.queue()); at != QuotaTree.ABSENT; at = tree.parentOf(at)) {
                used[at] += gang.chargedGpus();
            }
        }
        for (int at = 0; at < used.length; at++) {
            expect(
                    used[at] == view.quotaUsed(at),
                    "quota node %s counts %s GPUs, its allocations have %s",
                    tree.node(at).path(),
                    view.quotaUsed(at),
                    used[at]);
        }
    }

    private void repairs() {
        int wounded = 0;
        for (Map.Entry<JobId, GangAllocation> entry : view.allocations()) {
            GangAllocation gang = entry.getValue();
            Optional<KnownJob> job = view.job(gang.job());
            boolean wanted = job.map(KnownJob::wish)
                    .filter(wish -> wish == JobWish.PLACEMENT || wish == JobWish.KEEPING)
                    .isPresent();
            boolean repairable = wanted
                    && !gang.lost().isEmpty()
                    && gang.members().size() + gang.lost().size() == gang.placedNodes();
            wounded += repairable ? 1 : 0;
            expect(
                    view.placeAmongRepairs(gang.job())
                            .map(view.repairable()::get)
                            .equals(repairable ? job : Optional.empty()),
                    "job %s is to be repaired: %s, but the repairs say otherwise",
                    gang.job(),
                    repairable);
        }
        expect(
                wounded == view.repairable().size(),
                "%s gangs are to be repaired, the repairs have %s",
                wounded,
                view.repairable().size());
    }

    private void line() {
        int waiting = 0;
        for (Map.Entry<JobId, KnownJob> entry : view.jobs()) {
            KnownJob job = entry.getValue();
            boolean wants = job.wish() == JobWish.PLACEMENT
                    && view.allocation(job.job()).isEmpty()
                    && view.lastGeneration(job.job()) <= job.seenGeneration();
            waiting += wants ? 1 : 0;
            expect(
                    view.placeInLine(job.job())
                            .map(view.waiting()::get)
                            .equals(wants ? Optional.of(job) : Optional.empty()),
                    "job %s wants a placement: %s, but the line says otherwise",
                    job.job(),
                    wants);
        }
        expect(
                waiting == view.waiting().size(),
                "%s jobs wait, the line has %s",
                waiting,
                view.waiting().size());
    }

    private void expect(boolean holds, String sentence, Object... values) {
        if (!holds) {
            violations.add(sentence.formatted(values));
        }
    }
}
