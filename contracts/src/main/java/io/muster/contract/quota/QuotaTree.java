package io.muster.contract.quota;

import io.muster.contract.id.QueuePath;
import java.util.List;
import java.util.Optional;

/** The whole quota tree, one versioned record; the data of the events on {@code muster.quotas.v1} (key "tree"). */
public record QuotaTree(long version, List<QuotaNode> nodes) {

    public static final String KEY = "tree";

    public QuotaTree {
        nodes = List.copyOf(nodes);
    }

    public Optional<QuotaNode> find(QueuePath path) {
        return nodes.stream().filter(node -> node.path().equals(path)).findFirst();
    }

    public boolean isLeaf(QueuePath path) {
        return nodes.stream()
                .noneMatch(node -> node.path().parent().filter(path::equals).isPresent());
    }
}
