package io.muster.scheduler.visibility;

import io.muster.contract.job.DomainType;
import io.muster.scheduling.cluster.ClusterImage;
import io.muster.scheduling.cluster.NodeClass;
import io.muster.scheduling.gang.GangRequest;
import io.muster.scheduling.gang.GpuModel;
import io.muster.scheduling.placement.LargestGang;
import io.muster.scheduling.placement.Outlook;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The largest gang that could start now, for every model and level of the topology; quota is not looked at. */
record LargestGangs(long imageVersion, List<LargestOfModel> models) {

    /** What was counted: members with so many GPUs of this model. */
    record LargestOfModel(String model, int gpusPerNode, List<LargestAtLevel> levels) {}

    /** {@code domain} is where it fits; null where nothing does. */
    record LargestAtLevel(
            DomainType level, int nodes, int gpus, @Nullable String domain) {}

    /** With null, members take all GPUs of the model's largest node. */
    static LargestGangs of(ClusterImage image, @Nullable Integer gpusPerNode) {
        List<LargestOfModel> models = new ArrayList<>();
        largestNodes(image).forEach((model, most) -> {
            int each = gpusPerNode == null ? most : gpusPerNode;
            models.add(new LargestOfModel(model, each, levels(image, model, each)));
        });
        return new LargestGangs(image.provenance().version(), models);
    }

    private static Map<String, Integer> largestNodes(ClusterImage image) {
        Map<String, Integer> most = new TreeMap<>();
        for (int node = 0; node < image.nodeCount(); node++) {
            if (image.registered(node) && image.gpus(node) > 0) {
                NodeClass nodeClass = image.nodeClass(image.classNumber(node));
                most.merge(nodeClass.model().value(), image.gpus(node), Math::max);
            }
        }
        return most;
    }

    private static List<LargestAtLevel> levels(ClusterImage image, String model, int gpusPerNode) {
        // a gang of two: what takes gangs of one node only does not count towards a larger one
        GangRequest asked = GangRequest.of(2, gpusPerNode).withGpuModels(new GpuModel(model));
        return LargestGang.perLevel(image, asked, Outlook.NOW).stream()
                .map(largest -> new LargestAtLevel(
                        DomainType.valueOf(largest.level().name()),
                        largest.nodes(),
                        largest.nodes() * gpusPerNode,
                        largest.nodes() == 0 ? null : largest.domain()))
                .toList();
    }
}
