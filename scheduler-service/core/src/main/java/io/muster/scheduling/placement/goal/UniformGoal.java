package io.muster.scheduling.placement.goal;

import io.muster.scheduling.cluster.ClusterView;
import io.muster.scheduling.cluster.NodeClass;
import io.muster.scheduling.gang.DriverVersion;
import io.muster.scheduling.gang.GangRequest;
import io.muster.scheduling.gang.GpuModel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One GPU model for the whole gang and, where asked, one driver version. It cuts the acceptable classes into groups, each
 * uniform; a gang lies within one group. A preferred model beats any better place with a later one; models that nobody
 * ranked are equals, and among drivers the place decides.
 */
public final class UniformGoal {

    private UniformGoal() {}

    /** Groups that are tried together, stage after stage. */
    public static List<List<UniformGroup>> stages(ClusterView view, GangRequest request, boolean[] accepted) {
        TreeMap<GpuModel, TreeMap<DriverVersion, boolean[]>> byModel = new TreeMap<>();
        for (int number = 0; number < accepted.length; number++) {
            if (accepted[number]) {
                NodeClass nodeClass = view.nodeClass(number);
                DriverVersion driver = request.equalDriver() ? nodeClass.driver() : DriverVersion.UNKNOWN;
                byModel.computeIfAbsent(nodeClass.model(), model -> new TreeMap<>(Comparator.reverseOrder()))
                        .computeIfAbsent(driver, any -> new boolean[accepted.length])[number] = true;
            }
        }
        if (request.gpuModels().isEmpty()) {
            List<UniformGroup> all = new ArrayList<>();
            byModel.forEach((model, drivers) -> all.addAll(groups(model, drivers)));
            return all.isEmpty() ? List.of() : List.of(all);
        }
        List<List<UniformGroup>> stages = new ArrayList<>();
        for (GpuModel model : request.gpuModels()) {
            if (byModel.containsKey(model)) {
                stages.add(groups(model, byModel.get(model)));
            }
        }
        return stages;
    }

    private static List<UniformGroup> groups(GpuModel model, Map<DriverVersion, boolean[]> drivers) {
        List<UniformGroup> groups = new ArrayList<>();
        drivers.forEach((driver, classes) -> groups.add(new UniformGroup(model, classes)));
        return groups;
    }
}
