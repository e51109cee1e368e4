package io.muster.scheduling.explain;

import io.muster.scheduling.gang.DomainType;
import io.muster.scheduling.gang.GangRequest;
import io.muster.scheduling.gang.NodeId;
import io.muster.scheduling.gang.SpreadLimit;
import io.muster.scheduling.placement.LargestGang;
import io.muster.scheduling.placement.NodeCensus;
import io.muster.scheduling.placement.goal.WithinGoal;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Phrases about a gang, with numbers. */
final class GangWords {

    private GangWords() {}

    static String count(long number, String word) {
        return number + " " + word + (number == 1 ? "" : "s");
    }

    /** {@code 4 nodes with 8 GPUs each}. */
    static String gang(GangRequest request) {
        return gang(request.nodes(), request);
    }

    static String gang(int nodes, GangRequest request) {
        if (request.gpusPerNode() == 0) {
            return count(nodes, "node") + " without GPUs";
        }
        return count(nodes, "node") + " with " + count(request.gpusPerNode(), "GPU") + (nodes == 1 ? "" : " each");
    }

    /** {@code within one rack, at most 2 nodes per power domain}; empty where nothing is asked. */
    static String shape(GangRequest request) {
        StringBuilder words = new StringBuilder();
        DomainType bound = WithinGoal.bound(request);
        if (bound != DomainType.CLUSTER) {
            words.append(" within one ").append(bound.word());
        }
        @Nullable SpreadLimit spread = request.spread();
        if (spread != null) {
            words.append(words.isEmpty() ? "" : ",")
                    .append(" at most ")
                    .append(count(spread.maxNodes(), "node"))
                    .append(" per ")
                    .append(spread.domain().word());
        }
        return words.toString();
    }

    static String sameness(GangRequest request) {
        return request.equalDriver() ? "one GPU model and one driver version" : "one GPU model";
    }

    /** {@code 3 nodes (rack r1)}, {@code none}. */
    static String largest(LargestGang largest) {
        if (largest.nodes() == 0) {
            return "none";
        }
        return count(largest.nodes(), "node") + " (" + largest.level().word() + " " + largest.domain() + ")";
    }

    /** {@code 12 nodes are held out of service (n1, n2, n3, ...)}. */
    static String tally(NodeCensus.Count count) {
        String names = count.examples().stream().map(NodeId::value).collect(Collectors.joining(", "));
        String more = count.nodes() > count.examples().size() ? ", ..." : "";
        return count(count.nodes(), "node") + " " + count.reason().words(count.nodes()) + " (" + names + more + ")";
    }

    static String tally(List<NodeCensus.Count> counts) {
        return counts.stream().map(count -> tally(count)).collect(Collectors.joining("; "));
    }
}
