package io.muster.health.lease;

import io.muster.contract.id.NodeId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds what lost nodes have in common. A domain is blamed only if living nodes stand outside of it: what everybody
 * shares explains nothing.
 *
 * <ul>
 *   <li>Of a mass loss, the smallest domain that holds all of them is blamed, even if some of its nodes live.
 *   <li>Otherwise a domain is blamed that is gone as a whole, with at least two nodes: the one with the most nodes, and of
 *       equals the smallest level; then the next, for what is left.
 *   <li>What is left then is lost node by node.
 * </ul>
 */
final class SharedCause {

    /** Nodes of one cause; without a domain it is a single node. */
    record Group(List<NodeId> nodes, @Nullable LostDomain domain) {
        Group {
            nodes = List.copyOf(nodes);
        }
    }

    private record Candidate(LostDomain domain, List<NodeId> nodes) {}

    private SharedCause() {}

    static List<Group> of(Collection<NodeId> lost, Collection<NodeId> living, Places places, boolean mass) {
        List<NodeId> left = lost.stream().sorted().toList();
        if (mass && left.size() > 1) {
            Optional<LostDomain> all = holdsAll(left, living, places);
            if (all.isPresent()) {
                return List.of(new Group(left, all.get()));
            }
        }
        List<Group> groups = new ArrayList<>();
        for (Optional<Candidate> whole = largestWhole(left, living, places);
                whole.isPresent();
                whole = largestWhole(left, living, places)) {
            List<NodeId> gone = whole.get().nodes();
            groups.add(new Group(gone, whole.get().domain()));
            left = left.stream().filter(node -> !gone.contains(node)).toList();
        }
        left.forEach(node -> groups.add(new Group(List.of(node), null)));
        return groups;
    }

    private static Optional<LostDomain> holdsAll(List<NodeId> lost, Collection<NodeId> living, Places places) {
        for (DomainLevel level : DomainLevel.values()) {
            Map<String, List<NodeId>> byName = byDomain(level, lost, places);
            if (byName.size() == 1 && byName.values().iterator().next().size() == lost.size()) {
                String name = byName.keySet().iterator().next();
                boolean outside = living.stream()
                        .map(places::placeOf)
                        .flatMap(Optional::stream)
                        .anyMatch(place -> !level.nameIn(place.domains()).equals(name));
                if (outside) {
                    return Optional.of(new LostDomain(level.target(name)));
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<Candidate> largestWhole(List<NodeId> lost, Collection<NodeId> living, Places places) {
        Candidate largest = null;
        for (DomainLevel level : DomainLevel.values()) {
            Map<String, List<NodeId>> alive = byDomain(level, living, places);
            for (Map.Entry<String, List<NodeId>> gone :
                    byDomain(level, lost, places).entrySet()) {
                boolean whole = gone.getValue().size() >= 2 && !alive.isEmpty() && !alive.containsKey(gone.getKey());
                if (whole
                        && (largest == null
                                || gone.getValue().size() > largest.nodes().size())) {
                    largest = new Candidate(new LostDomain(level.target(gone.getKey())), gone.getValue());
                }
            }
        }
        return Optional.ofNullable(largest);
    }

    private static Map<String, List<NodeId>> byDomain(DomainLevel level, Collection<NodeId> nodes, Places places) {
        Map<String, List<NodeId>> byName = new TreeMap<>();
        Function<String, List<NodeId>> none = name -> new ArrayList<>();
        for (NodeId node : nodes) {
            places.placeOf(node)
                    .ifPresent(place -> byName.computeIfAbsent(level.nameIn(place.domains()), none)
                            .add(node));
        }
        return byName;
    }
}
