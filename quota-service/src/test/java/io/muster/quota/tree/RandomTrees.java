package io.muster.quota.tree;

import io.muster.quota.tree.TreeDocument.NodeDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Makes valid trees from a seed: guarantees are split downwards, tenants tagged at the second level. */
final class RandomTrees {

    private final Random random;
    private final List<NodeDocument> nodes = new ArrayList<>();
    private int projects;

    private RandomTrees(long seed) {
        random = new Random(seed);
    }

    static List<NodeDocument> valid(long seed) {
        var trees = new RandomTrees(seed);
        long total = trees.random.nextBoolean() ? 0 : 1_000 + trees.random.nextInt(100_000);
        trees.nodes.add(NodeDocuments.node("/").guaranteed(total).made());
        long free = total == 0 ? 100_000 : total;
        int units = 1 + trees.random.nextInt(5);
        for (int i = 0; i < units; i++) {
            long share = free / units;
            trees.grow("unit-" + i, share, 1, trees.random.nextBoolean() ? "tenant-" + i : null);
        }
        trees.nodes.add(NodeDocuments.node("pool").pool(true).made());
        return trees.nodes;
    }

    private void grow(String path, long share, int depth, String tenant) {
        boolean isolated = random.nextInt(6) == 0;
        long guaranteed = share - random.nextInt((int) Math.min(share, 50) + 1);
        boolean leaf = depth >= 4 || random.nextInt(3) == 0;
        var node = NodeDocuments.node(path)
                .guaranteed(guaranteed)
                .weight(1 + random.nextInt(1_000))
                .isolated(isolated)
                .closing(random.nextInt(8) == 0)
                .tenant(depth == 1 || random.nextInt(4) == 0 ? tenant : null);
        if (!isolated && random.nextBoolean()) {
            node.limit(guaranteed + random.nextInt(500));
        }
        if (leaf && random.nextBoolean()) {
            node.defaultOf((tenant == null ? "acme" : tenant) + "/project-" + projects++);
        }
        nodes.add(node.made());
        int children = leaf ? 0 : 1 + random.nextInt(3);
        for (int i = 0; i < children; i++) {
            grow(path + "/q" + i, guaranteed / children, depth + 1, tenant);
        }
    }
}
