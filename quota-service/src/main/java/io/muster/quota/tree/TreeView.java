package io.muster.quota.tree;

import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import io.muster.contract.quota.QuotaNode;
import io.muster.contract.quota.QuotaTree;
import io.muster.edge.identity.UserCaller;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides what of the tree a caller sees. A node belongs to the nearest tenant at or above it, and to all if there is
 * none; the caller sees their tenant's nodes and those of all, and of the latter only the own projects in
 * {@code defaultOf}. Whoever sees all tenants sees the whole tree. A node left out is as one that does not exist; what is
 * used of it still counts in the sums of nodes above it.
 */
final class TreeView {

    private TreeView() {}

    static QuotaTree of(QuotaTree tree, UserCaller caller) {
        if (caller.seesAllTenants()) {
            return tree;
        }
        Map<QueuePath, TenantId> tagged = new TreeMap<>();
        for (QuotaNode node : tree.nodes()) {
            if (node.tenant() != null) {
                tagged.put(node.path(), node.tenant());
            }
        }
        return new QuotaTree(
                tree.version(),
                tree.nodes().stream()
                        .filter(node -> isVisible(owner(tagged, node.path()), caller))
                        .map(node -> withOwnProjects(node, caller))
                        .toList());
    }

    private static boolean isVisible(@Nullable TenantId owner, UserCaller caller) {
        return owner == null || owner.equals(caller.tenant());
    }

    private static @Nullable TenantId owner(Map<QueuePath, TenantId> tagged, QueuePath path) {
        for (@Nullable QueuePath at = path; at != null; at = at.parent().orElse(null)) {
            TenantId owner = tagged.get(at);
            if (owner != null) {
                return owner;
            }
        }
        return null;
    }

    private static QuotaNode withOwnProjects(QuotaNode node, UserCaller caller) {
        List<String> own = node.defaultOf().stream()
                .filter(project -> project.startsWith(caller.tenant() + "/"))
                .toList();
        return new QuotaNode(
                node.path(),
                node.guaranteedGpus(),
                node.limitGpus(),
                node.weight(),
                node.isolated(),
                node.pool(),
                node.closing(),
                node.tenant(),
                own);
    }
}
