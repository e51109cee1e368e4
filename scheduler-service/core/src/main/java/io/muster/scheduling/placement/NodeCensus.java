package io.muster.scheduling.placement;

import io.muster.scheduling.cluster.ClusterView;
import io.muster.scheduling.gang.GangRequest;
import io.muster.scheduling.gang.NodeId;
import io.muster.scheduling.placement.goal.ClassGoal;
import io.muster.scheduling.placement.goal.ExclusionGoal;
import io.muster.scheduling.placement.goal.FreeGpuGoal;
import io.muster.scheduling.placement.goal.NodeRefusal;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Every registered node counted under the first goal that refuses it, or as fitting. It visits all nodes, so it is made
 * only to explain.
 *
 * @param fitting nodes that could be a member now
 * @param spares nodes marked as spare
 * @param freeGpus free GPUs on nodes that match and take work, small free parts included
 * @param freeGpusIfHealthy the same with all holds lifted
 */
public record NodeCensus(
        int registered, int fitting, int spares, long freeGpus, long freeGpusIfHealthy, List<Count> counts) {

    /** So many nodes for this reason, up to three of them named; most nodes first. */
    public record Count(NodeRefusal reason, int nodes, List<NodeId> examples) {}

    public NodeCensus {
        counts = List.copyOf(counts);
    }

    public int refused(NodeRefusal reason) {
        return counts.stream()
                .filter(count -> count.reason() == reason)
                .mapToInt(Count::nodes)
                .sum();
    }

    public static NodeCensus of(ClusterView view, GangRequest request) {
        @Nullable NodeRefusal[] byClass = new NodeRefusal[view.classCount()];
        for (int number = 0; number < byClass.length; number++) {
            byClass[number] = classRefusal(view, request, number);
        }
        RefusalTally refused = new RefusalTally();
        int registered = 0;
        int fitting = 0;
        int spares = 0;
        for (int node = 0; node < view.nodeCount(); node++) {
            if (!view.registered(node)) {
                continue;
            }
            registered++;
            spares += view.nodeClass(view.classNumber(node)).spare() ? 1 : 0;
            @Nullable NodeRefusal refusal = refusal(view, request, byClass[view.classNumber(node)], node);
            if (refusal == null) {
                fitting++;
                continue;
            }
            refused.add(refusal, view.nodeId(node));
        }
        return new NodeCensus(
                registered,
                fitting,
                spares,
                new Room(view, request, Outlook.NOW).acceptableFreeGpus(),
                new Room(view, request, Outlook.ALL_HEALTHY).acceptableFreeGpus(),
                refused.counts());
    }

    private static @Nullable NodeRefusal refusal(
            ClusterView view, GangRequest request, @Nullable NodeRefusal byClass, int node) {
        Optional<NodeRefusal> excluded = ExclusionGoal.refusal(request, view.nodeId(node));
        if (excluded.isPresent() && (byClass == null || excluded.get().compareTo(byClass) < 0)) {
            return excluded.get();
        }
        return byClass != null
                ? byClass
                : FreeGpuGoal.refusal(request, view.freeGpus(node)).orElse(null);
    }

    private static @Nullable NodeRefusal classRefusal(ClusterView view, GangRequest request, int number) {
        for (ClassGoal goal : ClassGoal.ORDERED) {
            Optional<NodeRefusal> refusal = goal.refusal(request, view.nodeClass(number));
            if (refusal.isPresent()) {
                return refusal.get();
            }
        }
        return null;
    }
}
