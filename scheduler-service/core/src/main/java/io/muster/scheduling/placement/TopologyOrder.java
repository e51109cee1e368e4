package io.muster.scheduling.placement;

import io.muster.scheduling.cluster.ClusterView;
import io.muster.scheduling.cluster.Member;
import io.muster.scheduling.gang.DomainType;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/**
 * Ranks in the order of the topology: pod, power domain, rack, node, each by name, so that neighbours in rank are
 * neighbours in the network. And what the chosen nodes have in common.
 */
final class TopologyOrder {

    private TopologyOrder() {}

    static List<Member> members(ClusterView view, int gpusPerNode, List<Integer> nodes, Instant since) {
        List<Integer> ordered = new ArrayList<>(nodes);
        ordered.sort(byName(view, DomainType.POD)
                .thenComparing(byName(view, DomainType.POWER))
                .thenComparing(byName(view, DomainType.RACK))
                .thenComparing(byName(view, DomainType.NODE)));
        List<Member> members = new ArrayList<>(ordered.size());
        for (int node : ordered) {
            members.add(new Member(members.size(), view.nodeId(node), lowest(view.freeMask(node), gpusPerNode), since));
        }
        return members;
    }

    private static Comparator<Integer> byName(ClusterView view, DomainType type) {
        return Comparator.comparing(node -> view.domainName(type, node));
    }

    private static long lowest(long free, int gpus) {
        long mask = 0;
        long rest = free;
        for (int taken = 0; taken < gpus; taken++) {
            long bit = Long.lowestOneBit(rest);
            mask |= bit;
            rest &= ~bit;
        }
        return mask;
    }

    static DomainType reachedLevel(ClusterView view, List<Integer> nodes) {
        if (nodes.size() == 1) {
            return DomainType.NODE;
        }
        for (DomainType type : DomainType.aboveNode()) {
            if (sizes(view, type, nodes).size() == 1) {
                return type;
            }
        }
        throw new IllegalStateException("a gang lies in more than one cluster");
    }

    static List<SpreadReached> spread(ClusterView view, List<Integer> nodes) {
        return DomainType.aboveNode().stream()
                .map(type -> {
                    TreeMap<Integer, Integer> sizes = sizes(view, type, nodes);
                    int most = sizes.values().stream()
                            .max(Comparator.naturalOrder())
                            .orElse(0);
                    return new SpreadReached(type, sizes.size(), most);
                })
                .toList();
    }

    private static TreeMap<Integer, Integer> sizes(ClusterView view, DomainType type, List<Integer> nodes) {
        TreeMap<Integer, Integer> sizes = new TreeMap<>();
        for (int node : nodes) {
            sizes.merge(view.cell(view.cellNumber(node)).domain(type), 1, Integer::sum);
        }
        return sizes;
    }
}
