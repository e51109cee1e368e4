package io.muster.scheduling.explain;

import io.muster.scheduling.cluster.ClusterView;
import io.muster.scheduling.cluster.Domain;
import io.muster.scheduling.cluster.NodeClass;
import io.muster.scheduling.gang.DomainType;
import io.muster.scheduling.gang.GangRequest;
import io.muster.scheduling.gang.GpuModel;
import io.muster.scheduling.gang.PlacementMode;
import io.muster.scheduling.placement.GangPlacer;
import io.muster.scheduling.placement.LargestGang;
import io.muster.scheduling.placement.NodeCensus;
import io.muster.scheduling.placement.Outlook;
import java.util.List;
import java.util.TreeSet;

/**
 * Everything about a gang's chances that does not depend on its queue or its place in line; one survey serves all jobs
 * that ask for the same.
 *
 * @param largestEver per level, node first, with every node healthy and free
 * @param fitsEverAnywhere fits the empty cluster once the required domain and the spread are dropped
 * @param models those of registered nodes
 */
public record GangSurvey(
        GangRequest request,
        NodeCensus census,
        boolean fitsNow,
        boolean fitsIfHealthy,
        boolean fitsEver,
        boolean fitsEverAnywhere,
        List<LargestGang> largestNow,
        List<LargestGang> largestEver,
        List<GpuModel> models) {

    public static GangSurvey of(ClusterView view, GangRequest request) {
        GangRequest anywhere =
                request.within(DomainType.CLUSTER, PlacementMode.REQUIRED).withSpread(null);
        return new GangSurvey(
                request,
                NodeCensus.of(view, request),
                GangPlacer.fits(view, request, Outlook.NOW),
                GangPlacer.fits(view, request, Outlook.ALL_HEALTHY),
                GangPlacer.fits(view, request, Outlook.ALL_FREE),
                GangPlacer.fits(view, anywhere, Outlook.ALL_FREE),
                LargestGang.perLevel(view, request, Outlook.NOW),
                LargestGang.perLevel(view, request, Outlook.ALL_FREE),
                models(view));
    }

    private static List<GpuModel> models(ClusterView view) {
        TreeSet<GpuModel> models = new TreeSet<>();
        for (int cluster = 0; cluster < view.domainCount(DomainType.CLUSTER); cluster++) {
            Domain domain = view.domain(DomainType.CLUSTER, cluster);
            for (int number = 0; number < view.classCount(); number++) {
                NodeClass nodeClass = view.nodeClass(number);
                for (int free = 0; free <= nodeClass.gpus(); free++) {
                    if (domain.summary().nodes(number, free) > 0) {
                        models.add(nodeClass.model());
                    }
                }
            }
        }
        return List.copyOf(models);
    }

    LargestGang now(DomainType level) {
        return largestNow.get(level.ordinal());
    }

    LargestGang ever(DomainType level) {
        return largestEver.get(level.ordinal());
    }
}
