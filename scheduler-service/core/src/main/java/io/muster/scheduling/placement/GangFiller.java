package io.muster.scheduling.placement;

import io.muster.scheduling.cluster.Cell;
import io.muster.scheduling.cluster.ClusterView;
import io.muster.scheduling.cluster.Domain;
import io.muster.scheduling.cluster.Member;
import io.muster.scheduling.gang.DomainType;
import io.muster.scheduling.gang.GangRequest;
import io.muster.scheduling.placement.goal.UniformGroup;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/**
 * Chooses the members inside a domain that is known to hold the gang. It goes down level by level: of the sub-domains
 * that hold what is still missing, the one that keeps most whole nodes whole and is fullest; if none does, the roomiest,
 * so that the gang lies in few of them. In a cell the fullest nodes go first.
 */
final class GangFiller {

    /** Cells of one sub-domain with what they can still give. */
    private record Part(int number, List<Cell> cells, int nodes, int unbroken, int freeGpus) {

        int broken(int wanted) {
            return Math.max(0, wanted - unbroken);
        }
    }

    private final ClusterView view;
    private final GangRequest request;
    private final Room room;
    private final UniformGroup group;
    private final List<Integer> chosen = new ArrayList<>();

    GangFiller(ClusterView view, GangRequest request, Room room, UniformGroup group) {
        this.view = view;
        this.request = request;
        this.room = room;
        this.group = group;
    }

    Placement placement(Domain domain, PlacementScore score, Instant since) {
        List<Cell> cells = new ArrayList<>();
        for (int at = 0; at < domain.cellCount(); at++) {
            Cell cell = view.cell(domain.cell(at));
            if (room.nodesBeforeSpread(group, cell) > 0) {
                cells.add(cell);
            }
        }
        fill(cells, domain.type().ordinal() - 1, request.nodes());
        if (chosen.size() != request.nodes()) {
            throw new IllegalStateException("chose " + chosen.size() + " of " + request.nodes() + " nodes in "
                    + domain.type().word() + " " + domain.name() + ", which had room for all");
        }
        List<Member> members = TopologyOrder.members(view, request.gpusPerNode(), chosen, since);
        DomainType reached = TopologyOrder.reachedLevel(view, chosen);
        return new Placement(
                members,
                group.model(),
                reached,
                view.domainName(reached, chosen.getFirst()),
                TopologyOrder.spread(view, chosen),
                score);
    }

    /** {@code type} is the ordinal of the next level to divide by; 0 divides into single cells. */
    private void fill(List<Cell> cells, int type, int wanted) {
        if (type == 0 && cells.size() == 1) {
            take(cells.getFirst(), wanted);
            return;
        }
        TreeMap<Integer, List<Cell>> divided = new TreeMap<>();
        for (Cell cell : cells) {
            int number = type == 0 ? cell.number() : cell.domain(DomainType.values()[type]);
            divided.computeIfAbsent(number, any -> new ArrayList<>()).add(cell);
        }
        if (divided.size() == 1) {
            fill(cells, Math.max(0, type - 1), wanted);
            return;
        }
        int missing = wanted;
        while (missing > 0) {
            Part part = next(divided, missing);
            int nodes = Math.min(part.nodes(), missing);
            fill(part.cells(), Math.max(0, type - 1), nodes);
            divided.remove(part.number());
            missing -= nodes;
        }
    }

    private Part next(TreeMap<Integer, List<Cell>> divided, int missing) {
        List<Part> parts = new ArrayList<>();
        divided.forEach((number, cells) -> parts.add(part(number, cells)));
        return parts.stream()
                .filter(part -> part.nodes() >= missing)
                .min(Comparator.<Part>comparingInt(part -> part.broken(missing))
                        .thenComparingInt(Part::freeGpus)
                        .thenComparingInt(Part::number))
                .or(() -> parts.stream()
                        .min(Comparator.<Part>comparingInt(part -> -part.nodes())
                                .thenComparingInt(part -> part.broken(part.nodes()))
                                .thenComparingInt(Part::freeGpus)
                                .thenComparingInt(Part::number)))
                .filter(part -> part.nodes() > 0)
                .orElseThrow(() -> new IllegalStateException(missing + " nodes are missing and no part has room"));
    }

    private Part part(int number, List<Cell> cells) {
        int nodes = 0;
        int unbroken = 0;
        int freeGpus = 0;
        room.spread().startCounting();
        for (Cell cell : cells) {
            nodes += room.spread().count(cell, room.nodesBeforeSpread(group, cell));
            unbroken += room.unbrokenNodes(group, cell.summary());
            freeGpus += cell.summary().freeGpus();
        }
        return new Part(number, cells, nodes, unbroken, freeGpus);
    }

    private void take(Cell cell, int wanted) {
        List<Integer> nodes = new ArrayList<>();
        for (int at = 0; at < cell.nodeCount(); at++) {
            if (room.takes(group, cell.node(at))) {
                nodes.add(cell.node(at));
            }
        }
        nodes.sort(Comparator.comparing(room::breaksWhole)
                .thenComparing(view::freeGpus)
                .thenComparing(Comparator.naturalOrder()));
        chosen.addAll(nodes.subList(0, wanted));
        room.spread().take(cell, wanted);
    }
}
