package io.muster.checkpoint.catalog;

import io.muster.checkpoint.node.KnownNode;
import io.muster.checkpoint.node.KnownNodes;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.TenantId;
import io.muster.edge.identity.UserCaller;
import io.muster.edge.page.Page;
import io.muster.edge.page.PageToken;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Checkpoints within the tenant of who asks; administrators and operators see all. */
@Service
class FindCheckpoints {

    private final CatalogRepository catalog;
    private final ShardRepository shards;
    private final KnownNodes nodes;

    FindCheckpoints(CatalogRepository catalog, ShardRepository shards, KnownNodes nodes) {
        this.catalog = catalog;
        this.shards = shards;
        this.nodes = nodes;
    }

    /** Newest first; empty if there is no such job for the caller. */
    @Transactional(readOnly = true)
    Optional<Page<CheckpointView>> ofJob(String id, UserCaller caller, @Nullable String pageToken, int pageSize) {
        TenantId tenant = scope(caller);
        int size = Math.clamp(pageSize, 1, Page.MAX_SIZE);
        String before = pageToken == null ? null : PageToken.decode(pageToken).lastKey();
        return CheckpointIds.readJob(id)
                .flatMap(catalog::head)
                .filter(head -> tenant == null || head.tenant().equals(tenant))
                .map(head -> page(catalog.ofJob(head.jobId(), before, size + 1), size));
    }

    @Transactional(readOnly = true)
    Optional<CheckpointView> one(String id, UserCaller caller) {
        return CheckpointIds.read(id)
                .flatMap(known -> catalog.find(known, scope(caller), null))
                .map(this::whole);
    }

    private CheckpointView whole(Checkpoint found) {
        Map<Integer, ShardCopies> all = shards.of(found.id());
        Map<NodeId, KnownNode> known = nodes.of(ShardCopies.holders(all));
        long live = all.values().stream()
                .flatMap(shard -> shard.live(known).stream())
                .map(KnownNode::node)
                .distinct()
                .count();
        return CheckpointView.of(
                found,
                (int) live,
                all.values().stream()
                        .map(shard -> shard.withoutAddresses(known))
                        .toList());
    }

    private Page<CheckpointView> page(List<Checkpoint> found, int size) {
        List<Checkpoint> shown = found.stream().limit(size).toList();
        Map<CheckpointId, List<ShardCopies.Copy>> holders =
                shards.holders(shown.stream().map(Checkpoint::id).toList());
        Map<NodeId, KnownNode> known = nodes.of(holders.values().stream()
                .flatMap(List::stream)
                .map(ShardCopies.Copy::node)
                .toList());
        List<CheckpointView> views = shown.stream()
                .map(checkpoint -> CheckpointView.of(
                        checkpoint, live(holders.getOrDefault(checkpoint.id(), List.of()), known), null))
                .toList();
        boolean more = found.size() > size;
        return new Page<>(views, more ? new PageToken(views.getLast().id().value()).encoded() : null);
    }

    private static int live(List<ShardCopies.Copy> copies, Map<NodeId, KnownNode> known) {
        return (int) copies.stream()
                .filter(copy -> copy.isIn(known.get(copy.node())))
                .map(ShardCopies.Copy::node)
                .distinct()
                .count();
    }

    private static @Nullable TenantId scope(UserCaller caller) {
        return caller.seesAllTenants() ? null : caller.tenant();
    }
}
