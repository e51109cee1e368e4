package io.muster.scheduler.visibility;

import io.muster.contract.node.NodeCondition;
import io.muster.scheduler.cycle.Published;
import io.muster.scheduling.cluster.ClusterImage;
import io.muster.scheduling.cluster.NodeClass;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Where the GPUs of the cluster are. Every GPU counts once: allocated while a job holds it, else held while it, its node
 * or its domain is under a hold that keeps new work away, else spare on a node that is kept for repairs, else free.
 */
record ClusterCapacity(long imageVersion, List<ModelCapacity> models, List<ConditionCount> nodes) {

    /** The GPUs of one model; {@code total} is the sum of the others. */
    record ModelCapacity(String model, int total, int free, int spare, int held, int allocated) {}

    record ConditionCount(NodeCondition condition, int nodes) {}

    static ClusterCapacity of(Published published) {
        ClusterImage image = published.image();
        Map<String, int[]> byModel = new TreeMap<>();
        for (int node = 0; node < image.nodeCount(); node++) {
            if (image.registered(node)) {
                count(image, node, byModel);
            }
        }
        return new ClusterCapacity(
                image.provenance().version(),
                byModel.entrySet().stream()
                        .map(entry -> capacity(entry.getKey(), entry.getValue()))
                        .toList(),
                conditions(published.conditions().values()));
    }

    private static void count(ClusterImage image, int node, Map<String, int[]> byModel) {
        int gpus = image.gpus(node);
        if (gpus == 0) {
            return;
        }
        NodeClass nodeClass = image.nodeClass(image.classNumber(node));
        int allocated = Long.bitCount(image.usedMask(node));
        int free = nodeClass.takesSmallWork() ? image.freeGpus(node) : 0;
        int[] sums = byModel.computeIfAbsent(nodeClass.model().value(), _ -> new int[4]);
        sums[nodeClass.spare() ? 1 : 0] += free;
        sums[2] += gpus - free - allocated;
        sums[3] += allocated;
    }

    private static ModelCapacity capacity(String model, int[] sums) {
        return new ModelCapacity(model, IntStream.of(sums).sum(), sums[0], sums[1], sums[2], sums[3]);
    }

    private static List<ConditionCount> conditions(Collection<NodeCondition> conditions) {
        Map<NodeCondition, Integer> counts = new EnumMap<>(NodeCondition.class);
        conditions.forEach(condition -> counts.merge(condition, 1, Integer::sum));
        return counts.entrySet().stream()
                .map(entry -> new ConditionCount(entry.getKey(), entry.getValue()))
                .toList();
    }
}
