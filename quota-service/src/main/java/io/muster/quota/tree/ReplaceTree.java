package io.muster.quota.tree;

import io.muster.contract.EventType;
import io.muster.contract.Topics;
import io.muster.contract.quota.QuotaTree;
import io.muster.messaging.Outbox;
import io.muster.messaging.OutgoingEvent;
import io.muster.quota.ledger.HeldGpus;
import java.time.Clock;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Replaces the tree: version, audit and event are one transaction, one replacement at a time. Of two that were edited
 * from the same version, the first wins and the second is told that it is stale.
 */
@Service
class ReplaceTree {

    private static final Logger LOG = LoggerFactory.getLogger(ReplaceTree.class);

    private final QuotaTreeRepository trees;
    private final HeldGpus held;
    private final Outbox outbox;
    private final Clock clock;

    ReplaceTree(QuotaTreeRepository trees, HeldGpus held, Outbox outbox, Clock clock) {
        this.trees = trees;
        this.held = held;
        this.outbox = outbox;
        this.clock = clock;
    }

    /** Says what would happen; stores nothing and needs no version. */
    @Transactional(readOnly = true)
    TreeChange preview(TreeDocument document, @Nullable Long expected) {
        QuotaTree current = trees.newest().orElseThrow();
        return judge(document, expected, current, true);
    }

    @Transactional
    TreeChange replace(TreeDocument document, long expected, String keyId) {
        QuotaTree current = trees.newestLocked().orElseThrow();
        TreeChange change = judge(document, expected, current, false);
        if (change instanceof TreeChange.Made made && made.tree().version() > current.version()) {
            Instant now = clock.instant();
            trees.replace(made.tree(), now);
            publish(
                    made.tree(),
                    new AuditEntry(
                            made.tree().version(), keyId, now, made.comparison().differences()));
        }
        return change;
    }

    /** Stores {@code tree} if there is none yet. */
    @Transactional
    void begin(QuotaTree tree) {
        Instant now = clock.instant();
        if (trees.newest().isEmpty() && trees.addFirst(tree, now)) {
            publish(tree, new AuditEntry(tree.version(), "system", now, DefaultTree.AS_WORDS));
        }
    }

    private TreeChange judge(TreeDocument document, @Nullable Long expected, QuotaTree current, boolean dryRun) {
        if (expected != null && expected != current.version()) {
            return new TreeChange.Stale(current.version());
        }
        var use = new QueueUse(held.byQueue());
        return switch (TreeRules.judge(document, current, use)) {
            case TreeVerdict.Refused(var violations) -> new TreeChange.Refused(violations);
            case TreeVerdict.Accepted(var tree, var warnings) -> {
                TreeComparison comparison = TreeComparison.of(current, tree, use);
                QuotaTree result = comparison.differences().isEmpty() ? current : tree;
                yield new TreeChange.Made(result, dryRun, comparison, warnings);
            }
        };
    }

    private void publish(QuotaTree tree, AuditEntry entry) {
        trees.audit(entry);
        outbox.append(new OutgoingEvent(
                Topics.QUOTAS,
                QuotaTree.KEY,
                EventType.QUOTA_TREE_CHANGED.type(),
                "quota/" + QuotaTree.KEY,
                tree.version(),
                tree));
        LOG.info(
                "quota tree version={} by key={}: {} nodes, {} differences",
                tree.version(),
                entry.keyId(),
                tree.nodes().size(),
                entry.differences().size());
    }
}
