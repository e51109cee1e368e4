package io.muster.scheduling.quota;

import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The quota tree of one version, its nodes numbered in path order. The tree
 * is taken as quota-service validated it; a node whose parent is missing counts as a top node. Version 0 is the tree
 * nobody has sent yet.
 */
public final class QuotaTree {

    public static final QuotaTree NONE = new QuotaTree(0, List.of());
    public static final int ABSENT = -1;

    private final long version;
    private final QuotaNode[] nodes;
    private final int[] parents;
    private final TreeMap<QueuePath, Integer> numbers = new TreeMap<>();

    public QuotaTree(long version, List<QuotaNode> nodes) {
        this.version = version;
        this.nodes = nodes.stream()
                .sorted((left, right) -> left.path().compareTo(right.path()))
                .toArray(QuotaNode[]::new);
        for (int number = 0; number < this.nodes.length; number++) {
            QueuePath path = this.nodes[number].path();
            if (numbers.put(path, number) != null) {
                throw new IllegalArgumentException("the quota tree names " + path + " twice");
            }
        }
        this.parents = new int[this.nodes.length];
        for (int number = 0; number < this.nodes.length; number++) {
            @Nullable QueuePath parent = this.nodes[number].path().parent().orElse(null);
            @Nullable Integer at = parent == null ? null : numbers.get(parent);
            parents[number] = at == null ? ABSENT : at;
        }
    }

    public long version() {
        return version;
    }

    public int size() {
        return nodes.length;
    }

    public QuotaNode node(int number) {
        return nodes[number];
    }

    public List<QuotaNode> nodes() {
        return List.of(nodes);
    }

    /** The parent's number, or ABSENT. */
    public int parentOf(int number) {
        return parents[number];
    }

    /** The node's number, or ABSENT. */
    public int numberOf(QueuePath path) {
        @Nullable Integer number = numbers.get(path);
        return number == null ? ABSENT : number;
    }

    /** Where the use of a queue is counted: the node itself or, if it was deleted, its nearest ancestor; or ABSENT. */
    public int accountOf(QueuePath path) {
        @Nullable QueuePath at = path;
        while (at != null) {
            int number = numberOf(at);
            if (number != ABSENT) {
                return number;
            }
            at = at.parent().orElse(null);
        }
        return ABSENT;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof QuotaTree tree && version == tree.version && Arrays.equals(nodes, tree.nodes);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(version) * 31 + Arrays.hashCode(nodes);
    }

    @Override
    public String toString() {
        return "QuotaTree version " + version + " " + Arrays.toString(nodes);
    }
}
