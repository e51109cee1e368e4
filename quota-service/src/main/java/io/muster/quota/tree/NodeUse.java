package io.muster.quota.tree;

import io.muster.contract.id.QueuePath;
import io.muster.contract.quota.QuotaNode;
import io.muster.contract.quota.QuotaTree;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A node of the tree with what is held now, at it and below, and the same of each child.
 *
 * @param version of the tree
 */
record NodeUse(long version, QuotaNode node, Figures figures, List<Figures> children) {

    NodeUse {
        children = List.copyOf(children);
    }

    /**
     * @param limitGpus null = no limit of its own
     * @param usedGpus held now, at this node and below
     */
    record Figures(
            QueuePath path, long guaranteedGpus, @Nullable Long limitGpus, long usedGpus) {

        static Figures of(QuotaNode node, QueueUse use) {
            return new Figures(node.path(), node.guaranteedGpus(), node.limitGpus(), use.at(node.path()));
        }
    }

    static Optional<NodeUse> of(QuotaTree tree, QueuePath path, QueueUse use) {
        List<Figures> children = tree.nodes().stream()
                .filter(child -> child.path().parent().filter(path::equals).isPresent())
                .map(child -> Figures.of(child, use))
                .toList();
        return tree.find(path).map(node -> new NodeUse(tree.version(), node, Figures.of(node, use), children));
    }
}
