package io.muster.quota.tree;

import io.muster.contract.id.QueuePath;
import java.util.Map;
import java.util.TreeMap;

/**
 * GPUs held now, at a node and everything below it. Rolled up by path, so that a queue which is no longer in the tree
 * still counts at those of its ancestors that are.
 */
final class QueueUse {

    private final Map<QueuePath, Long> atOrBelow = new TreeMap<>();

    QueueUse(Map<QueuePath, Long> heldByQueue) {
        heldByQueue.forEach((queue, held) -> {
            for (QueuePath at = queue; at != null; at = at.parent().orElse(null)) {
                atOrBelow.merge(at, held, Long::sum);
            }
        });
    }

    long at(QueuePath path) {
        return atOrBelow.getOrDefault(path, 0L);
    }
}
