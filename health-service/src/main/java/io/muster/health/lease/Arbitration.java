package io.muster.health.lease;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.ProbeOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks living nodes whether they can reach the missing ones. A missing node is out of reach when two arbiters say so (one
 * if there is only one); it is within reach as soon as one says so, and is asked about again after a while. Arbiters
 * stand in another rack than the missing node; where no other rack has a living node, its own rack is asked. An arbiter
 * that does not answer in time is replaced by the next. Held in memory only: a new judge asks anew.
 */
final class Arbitration {

    enum Answer {
        AWAITED,
        WITHIN_REACH,
        OUT_OF_REACH
    }

    private static final int NEEDED = 2;

    private final long patience;
    private final long askAgain;
    private final Supplier<String> newProbeId;
    private final Map<NodeId, List<Probe>> byTarget = new TreeMap<>();

    Arbitration(Duration patience, Duration askAgain, Supplier<String> newProbeId) {
        this.patience = patience.toNanos();
        this.askAgain = askAgain.toNanos();
        this.newProbeId = newProbeId;
    }

    void clear() {
        byTarget.clear();
    }

    /** Only these are still missing. */
    void keepOnly(Set<NodeId> targets) {
        byTarget.keySet().retainAll(targets);
    }

    /** How it stands about a missing node; asks whoever has to be asked. */
    Answer about(NodeId target, List<NodeId> living, Places places, long now) {
        Optional<Place> place = places.placeOf(target);
        if (place.isEmpty()) {
            return Answer.OUT_OF_REACH;
        }
        List<Probe> probes = byTarget.computeIfAbsent(target, node -> new ArrayList<>());
        boolean reached = probes.stream().anyMatch(probe -> Boolean.TRUE.equals(probe.reached));
        if (reached) {
            boolean fresh = probes.stream().anyMatch(probe -> now - probe.askedAt <= askAgain);
            if (fresh) {
                return Answer.WITHIN_REACH;
            }
            probes.clear();
        }
        List<NodeId> arbiters = arbiters(place.get(), living, places);
        int needed = Math.min(NEEDED, arbiters.size());
        long denied = probes.stream()
                .filter(probe -> Boolean.FALSE.equals(probe.reached))
                .count();
        if (needed > 0 && denied >= needed) {
            return Answer.OUT_OF_REACH;
        }
        ask(target, place.get(), arbiters, probes, needed - denied, now);
        return reached ? Answer.WITHIN_REACH : Answer.AWAITED;
    }

    private void ask(NodeId target, Place place, List<NodeId> arbiters, List<Probe> probes, long wanted, long now) {
        probes.removeIf(probe -> probe.reached == null && !arbiters.contains(probe.arbiter));
        long awaited = probes.stream()
                .filter(probe -> probe.reached == null && now - probe.askedAt <= patience)
                .count();
        int first = arbiters.isEmpty() ? 0 : Math.floorMod(target.hashCode(), arbiters.size());
        for (int i = 0; i < arbiters.size() && awaited < wanted; i++) {
            NodeId arbiter = arbiters.get((first + i) % arbiters.size());
            if (probes.stream().noneMatch(probe -> probe.arbiter.equals(arbiter))) {
                probes.add(new Probe(
                        arbiter, new ProbeOrder(newProbeId.get(), target, place.address(), place.port()), now));
                awaited++;
            }
        }
        if (awaited < wanted) {
            // everybody was asked: the late ones are asked once more
            probes.removeIf(probe -> probe.reached == null && now - probe.askedAt > patience);
        }
    }

    private static List<NodeId> arbiters(Place missing, List<NodeId> living, Places places) {
        List<NodeId> elsewhere = living.stream()
                .filter(node -> places.placeOf(node)
                        .filter(place ->
                                !place.domains().rack().equals(missing.domains().rack()))
                        .isPresent())
                .toList();
        return elsewhere.isEmpty() ? living : elsewhere;
    }

    /** What this arbiter has not answered yet. */
    List<ProbeOrder> ordersOf(NodeId arbiter) {
        return byTarget.values().stream()
                .flatMap(List::stream)
                .filter(probe -> probe.reached == null && probe.arbiter.equals(arbiter))
                .map(probe -> probe.order)
                .toList();
    }

    /** Only the arbiter itself answers, and only once; true if the order was one of ours. */
    boolean answered(NodeId arbiter, String probeId, boolean reached) {
        for (List<Probe> probes : byTarget.values()) {
            for (Probe probe : probes) {
                if (probe.order.probeId().equals(probeId) && probe.arbiter.equals(arbiter)) {
                    probe.reached = probe.reached == null ? Boolean.valueOf(reached) : probe.reached;
                    return true;
                }
            }
        }
        return false;
    }

    private static final class Probe {
        final NodeId arbiter;
        final ProbeOrder order;
        final long askedAt;

        @Nullable
        Boolean reached;

        Probe(NodeId arbiter, ProbeOrder order, long askedAt) {
            this.arbiter = arbiter;
            this.order = order;
            this.askedAt = askedAt;
        }
    }
}
