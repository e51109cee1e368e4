package io.muster.quota.tree;

import io.muster.contract.id.QueuePath;
import io.muster.contract.quota.QuotaTree;
import io.muster.edge.identity.UserCaller;
import io.muster.edge.page.Page;
import io.muster.edge.page.PageToken;
import io.muster.quota.ledger.HeldGpus;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The tree as it is, with what is used of it. */
@Service
class ReadTree {

    private final QuotaTreeRepository trees;
    private final HeldGpus held;

    ReadTree(QuotaTreeRepository trees, HeldGpus held) {
        this.trees = trees;
        this.held = held;
    }

    /** As far as the caller sees it. */
    QuotaTree tree(UserCaller caller) {
        return TreeView.of(newest(), caller);
    }

    private QuotaTree newest() {
        return trees.newest().orElseThrow();
    }

    /** Empty if there is no such node, or the caller may not know of it. */
    @Transactional(readOnly = true)
    Optional<NodeUse> node(QueuePath path, UserCaller caller) {
        return NodeUse.of(tree(caller), path, new QueueUse(held.byQueue()));
    }

    @Transactional(readOnly = true)
    List<NodeUse.Figures> figures() {
        var use = new QueueUse(held.byQueue());
        return newest().nodes().stream()
                .map(node -> NodeUse.Figures.of(node, use))
                .toList();
    }

    Page<AuditEntry> audit(@Nullable Long before, int size) {
        List<AuditEntry> found = trees.auditBefore(before, size + 1);
        if (found.size() <= size) {
            return new Page<>(found, null);
        }
        List<AuditEntry> page = found.subList(0, size);
        return new Page<>(page, new PageToken(Long.toString(page.getLast().version())).encoded());
    }
}
