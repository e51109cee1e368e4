package io.muster.checkpoint.catalog;

import io.muster.checkpoint.node.KnownNode;
import io.muster.contract.id.NodeId;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides what the copies of a checkpoint survive. Pure. A copy in memory counts while the agent's life that took it goes
 * on and its node is not under an EVICT hold. The domains are those that nodes have told of themselves at this moment,
 * never those that a report believes.
 *
 * <ul>
 *   <li>DURABLE: every rank is in the store.
 *   <li>PEER: every rank is in the store or in the memory of two nodes that share neither rack nor power domain.
 *   <li>else it is not safe, and the first rank that is not says why, with its nodes.
 * </ul>
 */
final class SafetyRules {

    private SafetyRules() {}

    /** @param shards by rank */
    static Safety judge(int worldSize, Map<Integer, ShardCopies> shards, Map<NodeId, KnownNode> nodes) {
        boolean durable = true;
        @Nullable String why = null;
        for (int rank = 0; rank < worldSize; rank++) {
            ShardCopies shard = shards.get(rank);
            if (shard == null) {
                return new Safety.Incomplete();
            }
            if (shard.path() == null) {
                durable = false;
                List<KnownNode> live = shard.live(nodes);
                if (live.isEmpty()) {
                    return new Safety.Incomplete();
                }
                if (why == null && !apart(live)) {
                    why = together(rank, live);
                }
            }
        }
        if (durable) {
            return new Safety.Durable();
        }
        return why == null ? new Safety.Peer() : new Safety.Local(why);
    }

    /** Why a checkpoint cannot be restored: the first rank without any copy left; null if every rank has one. */
    static @Nullable String gone(int worldSize, Map<Integer, ShardCopies> shards, Map<NodeId, KnownNode> nodes) {
        for (int rank = 0; rank < worldSize; rank++) {
            ShardCopies shard = shards.get(rank);
            if (shard == null || shard.path() == null && shard.live(nodes).isEmpty()) {
                return "rank " + rank + " has no copy left, " + fate(shard, nodes);
            }
        }
        return null;
    }

    private static boolean apart(List<KnownNode> live) {
        return live.stream().anyMatch(one -> live.stream().anyMatch(other -> !one.failsWith(other)));
    }

    private static String together(int rank, List<KnownNode> live) {
        KnownNode first = live.getFirst();
        if (live.size() == 1) {
            return "rank " + rank + " is in the memory of " + first.node() + " alone; it is safe when a node of another"
                    + " rack has it too, or the store";
        }
        KnownNode second = live.get(1);
        String shared = first.rack().equals(second.rack())
                ? "both in rack " + first.rack()
                : "both on power domain " + first.power();
        return "rank " + rank + " is in the memory of " + first.node() + " and " + second.node() + ", " + shared
                + ": one failure takes both; it is safe when a node of another rack and power domain has it too, or the"
                + " store";
    }

    private static String fate(@Nullable ShardCopies shard, Map<NodeId, KnownNode> nodes) {
        String fates = shard == null
                ? ""
                : shard.copies().stream()
                        .map(copy -> fate(copy, nodes.get(copy.node())))
                        .collect(Collectors.joining(", "));
        return fates.isEmpty()
                ? "neither in the store nor in the memory of any node"
                : "it never reached the store, and " + fates;
    }

    private static String fate(ShardCopies.Copy copy, @Nullable KnownNode node) {
        if (node == null) {
            return copy.node() + " is not known";
        }
        return node.evicted() == null
                ? copy.node() + " has lost its memory (boot, or wiped) since it took its copy"
                : copy.node() + " is lost (" + node.evicted() + ")";
    }
}
