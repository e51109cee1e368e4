package io.muster.scheduling.placement;

import io.muster.scheduling.gang.NodeId;
import io.muster.scheduling.placement.NodeCensus.Count;
import io.muster.scheduling.placement.goal.NodeRefusal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Counts refused nodes by reason and keeps a few names of each. */
final class RefusalTally {

    private static final int EXAMPLES = 3;

    private final Map<NodeRefusal, List<NodeId>> examples = new EnumMap<>(NodeRefusal.class);
    private final int[] nodes = new int[NodeRefusal.values().length];

    void add(NodeRefusal refusal, NodeId node) {
        nodes[refusal.ordinal()]++;
        List<NodeId> named = examples.computeIfAbsent(refusal, any -> new ArrayList<>());
        if (named.size() < EXAMPLES) {
            named.add(node);
        }
    }

    /** Most nodes first. */
    List<Count> counts() {
        return examples.entrySet().stream()
                .map(entry -> new Count(entry.getKey(), nodes[entry.getKey().ordinal()], List.copyOf(entry.getValue())))
                .sorted(Comparator.comparingInt(Count::nodes).reversed().thenComparing(Count::reason))
                .toList();
    }
}
