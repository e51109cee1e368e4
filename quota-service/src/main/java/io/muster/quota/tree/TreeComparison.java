package io.muster.quota.tree;

import io.muster.contract.id.QueuePath;
import io.muster.contract.quota.QuotaNode;
import io.muster.contract.quota.QuotaTree;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a change of the tree means: the differences in words, by path, and the nodes that already use more than their
 * new limit. Such a change is allowed: nothing that runs is stopped, new jobs wait until use has fallen.
 */
record TreeComparison(List<String> differences, List<Impact> impact) {

    TreeComparison {
        differences = List.copyOf(differences);
        impact = List.copyOf(impact);
    }

    /** A node whose use is above its limit in the new tree. */
    record Impact(QueuePath path, long usedGpus, long limitGpus, String message) {

        static Impact of(QueuePath path, long used, long limit) {
            return new Impact(
                    path,
                    used,
                    limit,
                    path + " uses " + used + " GPUs, its limit becomes " + limit + ": " + (used - limit)
                            + " over. What runs goes on; new jobs wait until use has fallen.");
        }
    }

    static TreeComparison of(QuotaTree before, QuotaTree after, QueueUse use) {
        Map<QueuePath, @Nullable QuotaNode> old = byPath(before);
        Map<QueuePath, @Nullable QuotaNode> now = byPath(after);
        Map<QueuePath, List<String>> words = new TreeMap<>();
        now.forEach((path, node) -> words.put(path, describe(path, old.get(path), node)));
        old.forEach((path, node) -> {
            if (!now.containsKey(path)) {
                words.put(path, describe(path, node, null));
            }
        });
        List<Impact> impact = new ArrayList<>();
        for (QuotaNode node : after.nodes()) {
            Long limit = node.limitGpus();
            if (limit != null && use.at(node.path()) > limit) {
                impact.add(Impact.of(node.path(), use.at(node.path()), limit));
            }
        }
        return new TreeComparison(words.values().stream().flatMap(List::stream).toList(), impact);
    }

    private static Map<QueuePath, @Nullable QuotaNode> byPath(QuotaTree tree) {
        Map<QueuePath, @Nullable QuotaNode> nodes = new TreeMap<>();
        tree.nodes().forEach(node -> nodes.put(node.path(), node));
        return nodes;
    }

    private static List<String> describe(QueuePath path, @Nullable QuotaNode old, @Nullable QuotaNode now) {
        if (now == null) {
            return List.of(path + ": removed");
        }
        if (old == null) {
            return List.of(path + ": added (guarantee " + now.guaranteedGpus() + ", limit " + limit(now) + ", weight "
                    + now.weight() + (now.isolated() ? ", isolated" : "") + (now.pool() ? ", pool" : "")
                    + (now.closing() ? ", closing" : "") + (now.tenant() == null ? "" : ", tenant " + now.tenant())
                    + (now.defaultOf().isEmpty() ? "" : ", default of " + now.defaultOf()) + ")");
        }
        List<String> words = new ArrayList<>();
        changed(words, path, "guarantee", old.guaranteedGpus(), now.guaranteedGpus());
        changed(words, path, "limit", limit(old), limit(now));
        changed(words, path, "weight", old.weight(), now.weight());
        changed(words, path, "isolated", old.isolated(), now.isolated());
        changed(words, path, "pool", old.pool(), now.pool());
        changed(words, path, "closing", old.closing(), now.closing());
        changed(words, path, "tenant", tenant(old), tenant(now));
        changed(words, path, "default of", old.defaultOf(), now.defaultOf());
        return words;
    }

    private static void changed(List<String> words, QueuePath path, String what, Object old, Object now) {
        if (!Objects.equals(old, now)) {
            words.add(path + ": " + what + " " + old + " -> " + now);
        }
    }

    private static String limit(QuotaNode node) {
        return node.limitGpus() == null ? "none" : node.limitGpus().toString();
    }

    private static String tenant(QuotaNode node) {
        return node.tenant() == null ? "any" : node.tenant().value();
    }
}
