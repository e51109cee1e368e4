package io.muster.scheduling.placement;

import io.muster.scheduling.cluster.Member;
import io.muster.scheduling.gang.DomainType;
import io.muster.scheduling.gang.GpuModel;
import java.util.List;

/**
 * Where a gang goes, whole.
 *
 * @param members in rank order, which is topology order
 * @param reachedLevel the tightest level that holds all members
 * @param reachedDomain the domain's name at that level
 * @param spread by type, rack first
 */
public record Placement(
        List<Member> members,
        GpuModel model,
        DomainType reachedLevel,
        String reachedDomain,
        List<SpreadReached> spread,
        PlacementScore score) {

    public Placement {
        members = List.copyOf(members);
        spread = List.copyOf(spread);
    }
}
