package io.muster.health.preflight;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.PreflightReport;
import io.muster.contract.node.ProbeResult;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Who of a gang reached whom. A pair is bad if one end could not reach the other, and good if at least one end reached
 * the other and none failed; only what a node says of its own attempts counts.
 */
final class PairMatrix {

    /** Two members, the lower name first. */
    record Pair(NodeId low, NodeId high) implements Comparable<Pair> {

        static Pair of(NodeId one, NodeId other) {
            return one.compareTo(other) <= 0 ? new Pair(one, other) : new Pair(other, one);
        }

        boolean touches(Collection<NodeId> nodes) {
            return nodes.contains(low) || nodes.contains(high);
        }

        NodeId otherThan(NodeId node) {
            return node.equals(low) ? high : low;
        }

        @Override
        public int compareTo(Pair other) {
            int byLow = low.compareTo(other.low);
            return byLow != 0 ? byLow : high.compareTo(other.high);
        }

        @Override
        public String toString() {
            return low + "–" + high;
        }
    }

    private final Set<Pair> bad;
    private final Set<Pair> good;

    private PairMatrix(Set<Pair> bad, Set<Pair> good) {
        this.bad = bad;
        this.good = good;
    }

    static PairMatrix of(List<NodeId> members, Map<NodeId, PreflightReport> reports) {
        Set<Pair> bad = new TreeSet<>();
        Set<Pair> good = new TreeSet<>();
        reports.forEach((from, report) -> {
            for (ProbeResult probe : report.pairs()) {
                boolean counts =
                        probe.from().equals(from) && !probe.target().equals(from) && members.contains(probe.target());
                if (counts) {
                    (probe.reached() ? good : bad).add(Pair.of(from, probe.target()));
                }
            }
        });
        good.removeAll(bad);
        return new PairMatrix(bad, good);
    }

    /** Without the pairs that these nodes explain. */
    PairMatrix without(Collection<NodeId> nodes) {
        Set<Pair> left = new TreeSet<>(bad);
        left.removeIf(pair -> pair.touches(nodes));
        return new PairMatrix(left, good);
    }

    Set<Pair> bad() {
        return bad;
    }

    /** Members of bad pairs. */
    Set<NodeId> ends() {
        Set<NodeId> ends = new TreeSet<>();
        bad.forEach(pair -> {
            ends.add(pair.low());
            ends.add(pair.high());
        });
        return ends;
    }

    /**
     * Nodes to blame without asking anybody: those that fail with two peers which reach each other, neither of the two
     * being suspect in the same way. Where two whole groups do not reach each other everybody is suspect, and it is what
     * lies between them, not a node.
     */
    Set<NodeId> lonely() {
        Set<NodeId> suspects = new TreeSet<>();
        for (NodeId node : ends()) {
            if (failsWithFriends(node, Set.of())) {
                suspects.add(node);
            }
        }
        Set<NodeId> lonely = new TreeSet<>();
        for (NodeId node : suspects) {
            if (failsWithFriends(node, suspects)) {
                lonely.add(node);
            }
        }
        return lonely;
    }

    private boolean failsWithFriends(NodeId node, Set<NodeId> butNot) {
        List<NodeId> peers = bad.stream()
                .filter(pair -> pair.touches(List.of(node)))
                .map(pair -> pair.otherThan(node))
                .filter(peer -> !butNot.contains(peer))
                .toList();
        for (int i = 0; i < peers.size(); i++) {
            for (int j = i + 1; j < peers.size(); j++) {
                if (good.contains(Pair.of(peers.get(i), peers.get(j)))) {
                    return true;
                }
            }
        }
        return false;
    }
}
