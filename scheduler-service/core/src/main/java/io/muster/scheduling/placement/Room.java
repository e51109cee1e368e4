package io.muster.scheduling.placement;

import io.muster.scheduling.cluster.Cell;
import io.muster.scheduling.cluster.ClusterView;
import io.muster.scheduling.cluster.Domain;
import io.muster.scheduling.cluster.FreeSummary;
import io.muster.scheduling.cluster.NodeClass;
import io.muster.scheduling.gang.DomainType;
import io.muster.scheduling.gang.GangRequest;
import io.muster.scheduling.gang.NodeId;
import io.muster.scheduling.placement.goal.ClassGoal;
import io.muster.scheduling.placement.goal.SpreadGoal;
import io.muster.scheduling.placement.goal.UniformGoal;
import io.muster.scheduling.placement.goal.UniformGroup;
import java.util.ArrayList;
import java.util.List;

/**
 * How many members of one gang find room in a cell or domain, exactly: from summaries, less the few excluded nodes, under
 * the spread limit.
 */
final class Room {

    /** A node that the summaries count and the request excludes. */
    private record Excluded(int node, Cell cell, int classNumber) {}

    private final ClusterView view;
    private final GangRequest request;
    private final Outlook outlook;
    private final int minFree;
    private final boolean[] accepted;
    private final List<List<UniformGroup>> stages;
    private final List<Excluded> excluded = new ArrayList<>();
    private final SpreadGoal spread;
    private long excludedFreeGpus;

    Room(ClusterView view, GangRequest request, Outlook outlook) {
        this.view = view;
        this.request = request;
        this.outlook = outlook;
        this.minFree = outlook == Outlook.ALL_FREE ? 0 : request.gpusPerNode();
        this.accepted = new boolean[view.classCount()];
        for (int number = 0; number < accepted.length; number++) {
            accepted[number] = accepts(view.nodeClass(number));
        }
        this.stages = UniformGoal.stages(view, request, accepted);
        request.avoidNodes().forEach(this::exclude);
        if (outlook == Outlook.NOW) {
            for (NodeId failed : request.failedNodes()) {
                if (!request.avoidNodes().contains(failed)) {
                    exclude(failed);
                }
            }
        }
        this.spread = new SpreadGoal(view, request);
    }

    private boolean accepts(NodeClass nodeClass) {
        for (ClassGoal goal : ClassGoal.ORDERED) {
            if (asked(goal) && goal.refusal(request, nodeClass).isPresent()) {
                return false;
            }
        }
        return true;
    }

    private boolean asked(ClassGoal goal) {
        return switch (outlook) {
            case NOW -> true;
            case ALL_HEALTHY -> !goal.healing();
            case ALL_FREE -> !goal.passing();
        };
    }

    private void exclude(NodeId id) {
        int node = view.nodeNumber(id);
        if (node != ClusterView.ABSENT && view.registered(node) && accepted[view.classNumber(node)]) {
            excludedFreeGpus += view.freeGpus(node);
            if (view.freeGpus(node) < minFree) {
                return;
            }
            excluded.add(new Excluded(node, view.cell(view.cellNumber(node)), view.classNumber(node)));
        }
    }

    List<List<UniformGroup>> stages() {
        return stages;
    }

    SpreadGoal spread() {
        return spread;
    }

    /** Members that fit into the domain, given nothing was taken yet. */
    int nodes(UniformGroup group, Domain domain) {
        int nodes = domain.summary().nodes(group.classes(), minFree);
        for (Excluded node : excluded) {
            if (group.contains(node.classNumber) && node.cell.domain(domain.type()) == domain.number()) {
                nodes--;
            }
        }
        if (!spread.limits() || nodes == 0) {
            return nodes;
        }
        spread.startCounting();
        int spreadOut = 0;
        for (int at = 0; at < domain.cellCount(); at++) {
            Cell cell = view.cell(domain.cell(at));
            spreadOut += spread.count(cell, nodesBeforeSpread(group, cell));
        }
        return spreadOut;
    }

    /** Nodes of the cell that fit by themselves. */
    int nodesBeforeSpread(UniformGroup group, Cell cell) {
        int nodes = cell.summary().nodes(group.classes(), minFree);
        for (Excluded node : excluded) {
            if (node.cell == cell && group.contains(node.classNumber)) {
                nodes--;
            }
        }
        return nodes;
    }

    boolean takes(UniformGroup group, int node) {
        return group.contains(view.classNumber(node))
                && view.freeGpus(node) >= minFree
                && excluded.stream().noneMatch(out -> out.node == node);
    }

    /** Whether a member leaves a node that was whole in parts. */
    boolean breaksWhole(int node) {
        int gpus = view.nodeClass(view.classNumber(node)).gpus();
        return gpus > request.gpusPerNode() && request.gpusPerNode() > 0 && view.freeGpus(node) == gpus;
    }

    /** Fitting nodes that are not whole, or that a member fills: taking them keeps the big holes. Exclusions aside. */
    int unbrokenNodes(UniformGroup group, FreeSummary summary) {
        int nodes = summary.nodes(group.classes(), minFree);
        for (int number = 0; number < accepted.length; number++) {
            int gpus = view.nodeClass(number).gpus();
            if (group.contains(number) && gpus > request.gpusPerNode() && request.gpusPerNode() > 0) {
                nodes -= summary.nodes(number, gpus);
            }
        }
        return nodes;
    }

    /** Free GPUs on all acceptable nodes of the view, excluded ones left out. */
    long acceptableFreeGpus() {
        long gpus = 0;
        for (int number = 0; number < view.domainCount(DomainType.CLUSTER); number++) {
            gpus += view.domain(DomainType.CLUSTER, number).summary().gpus(accepted);
        }
        return gpus - excludedFreeGpus;
    }
}
