package io.muster.scheduling.placement.goal;

import io.muster.scheduling.cluster.ClusterView;
import io.muster.scheduling.cluster.Domain;
import io.muster.scheduling.gang.DomainType;
import io.muster.scheduling.gang.GangRequest;
import io.muster.scheduling.gang.PlacementMode;
import java.util.List;

/**
 * Where the members must stand together. The tightest level that holds the gang is taken, from the rack upwards; a
 * required level ends the search, a preferred one does not. No gang spans two clusters.
 */
public final class WithinGoal {

    private WithinGoal() {}

    /** The level that the members must share whatever happens. */
    public static DomainType bound(GangRequest request) {
        return request.mode() == PlacementMode.REQUIRED ? request.within() : DomainType.CLUSTER;
    }

    /** Levels to search, tightest first. One node is always together with itself, so its bound is met anywhere. */
    public static List<DomainType> levels(GangRequest request) {
        DomainType bound = request.nodes() == 1 ? DomainType.CLUSTER : bound(request);
        return DomainType.aboveNode().subList(0, bound.ordinal());
    }

    /** Whether everything in the domain shares the bound too; only in irregular trees does a tighter one not. */
    public static boolean liesWithin(ClusterView view, Domain domain, GangRequest request) {
        DomainType bound = bound(request);
        if (request.nodes() == 1 || domain.type() == bound) {
            return true;
        }
        for (int at = 1; at < domain.cellCount(); at++) {
            if (view.cell(domain.cell(at)).domain(bound)
                    != view.cell(domain.cell(0)).domain(bound)) {
                return false;
            }
        }
        return true;
    }
}
