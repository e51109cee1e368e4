package io.muster.checkpoint.catalog;

import io.muster.checkpoint.node.KnownNode;
import io.muster.contract.checkpoint.ShardHolder;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.NodeId;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A rank's shard and every copy of it that was told of.
 *
 * @param path null while it is not in the store
 * @param copies in agents' memory, by node
 */
record ShardCopies(int rank, @Nullable String path, long sizeBytes, String sha256, List<Copy> copies) {

    ShardCopies {
        copies = List.copyOf(copies);
    }

    /** A sealed copy in a node's memory, in the life of that memory in which it was first told of. */
    record Copy(NodeId node, String memory) {

        /** Whether its agent still has it; null is a node that is not known. */
        boolean isIn(@Nullable KnownNode state) {
            return state != null && state.stillHolds(memory);
        }
    }

    /** Every node that was told to hold a copy of any of them. */
    static SortedSet<NodeId> holders(Map<Integer, ShardCopies> shards) {
        return shards.values().stream()
                .flatMap(shard -> shard.copies().stream())
                .map(Copy::node)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The nodes that still have it in memory. */
    List<KnownNode> live(Map<NodeId, KnownNode> nodes) {
        return copies.stream()
                .filter(copy -> copy.isIn(nodes.get(copy.node())))
                .map(copy -> Objects.requireNonNull(nodes.get(copy.node())))
                .toList();
    }

    /** As a report would tell of it. */
    StoredShard told() {
        return with(copies.stream()
                .map(copy -> new ShardHolder(copy.node(), null, 0))
                .toList());
    }

    /** As who restores it needs it: with every live copy and where it is. */
    StoredShard reachable(Map<NodeId, KnownNode> nodes) {
        return with(live(nodes).stream()
                .map(node -> new ShardHolder(node.node(), node.address(), node.port()))
                .toList());
    }

    /** As people see it: where agents listen is nobody's business. */
    StoredShard withoutAddresses(Map<NodeId, KnownNode> nodes) {
        return with(live(nodes).stream()
                .map(node -> new ShardHolder(node.node(), null, 0))
                .toList());
    }

    private StoredShard with(List<ShardHolder> holders) {
        return new StoredShard(rank, path, sizeBytes, sha256, holders);
    }
}
