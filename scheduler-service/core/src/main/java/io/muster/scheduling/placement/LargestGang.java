package io.muster.scheduling.placement;

import io.muster.scheduling.cluster.ClusterView;
import io.muster.scheduling.cluster.Domain;
import io.muster.scheduling.gang.DomainType;
import io.muster.scheduling.gang.GangRequest;
import io.muster.scheduling.placement.goal.UniformGroup;
import java.util.ArrayList;
import java.util.List;

/**
 * The most members of a gang's kind that one domain of a level can take: the counter-offer of a refusal. Constraints
 * between members (one model, one driver, spread) hold; the number of nodes asked for does not matter, except that a gang
 * of several nodes does not count nodes that take only small gangs.
 *
 * @param domain its name; empty where nothing fits
 */
public record LargestGang(DomainType level, String domain, int nodes) {

    /** For every level, node first. */
    public static List<LargestGang> perLevel(ClusterView view, GangRequest request, Outlook outlook) {
        Room room = new Room(view, request, outlook);
        List<LargestGang> largest = new ArrayList<>();
        for (DomainType level : DomainType.aboveNode()) {
            largest.add(at(view, room, level));
        }
        LargestGang inRack = largest.getFirst();
        largest.addFirst(new LargestGang(DomainType.NODE, inRack.domain(), Math.min(1, inRack.nodes())));
        return List.copyOf(largest);
    }

    private static LargestGang at(ClusterView view, Room room, DomainType level) {
        LargestGang best = new LargestGang(level, "", 0);
        for (List<UniformGroup> stage : room.stages()) {
            for (UniformGroup group : stage) {
                for (int number = 0; number < view.domainCount(level); number++) {
                    Domain domain = view.domain(level, number);
                    int nodes = room.nodes(group, domain);
                    if (nodes > best.nodes()) {
                        best = new LargestGang(level, domain.name(), nodes);
                    }
                }
            }
        }
        return best;
    }
}
