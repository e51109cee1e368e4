package io.muster.job.lifecycle;

import io.muster.contract.id.NodeId;
import io.muster.contract.job.DomainType;
import io.muster.contract.placement.PlacedMember;
import io.muster.contract.placement.PlacementState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The newest placement that the job knows of, on which its newest attempt runs or its next one will. Which nodes of it are
 * lost is known from two sides: the scheduler's word stands until the next generation, a hold counts while it lasts.
 *
 * @param seats in node-rank order
 * @param wounded lost by the scheduler's word: replaced only by the next generation
 * @param held under an EVICT hold as health-service last told it
 * @param noticedAt when it became known here
 */
public record Gang(
        int generation,
        DomainType level,
        String domain,
        List<Seat> seats,
        List<NodeId> wounded,
        List<NodeId> held,
        Instant noticedAt) {

    /** A place in the gang: whoever replaces a lost node takes its rank. */
    public record Seat(int nodeRank, NodeId node, List<Integer> gpus) {
        public Seat {
            gpus = List.copyOf(gpus);
        }
    }

    public Gang {
        seats = List.copyOf(seats);
        wounded = List.copyOf(wounded);
        held = List.copyOf(held);
    }

    /** What this gang has lost already is lost to it, whether the scheduler names it or has freed it without a repair. */
    static Gang of(PlacementState placement, Instant now) {
        List<Seat> seats = placement.members().stream()
                .sorted(Comparator.comparingInt(PlacedMember::nodeRank))
                .map(member -> new Seat(member.nodeRank(), member.node(), member.gpus()))
                .toList();
        return new Gang(
                placement.generation(),
                placement.reachedLevel(),
                placement.reachedDomain(),
                seats,
                lostIn(placement, List.of()),
                List.of(),
                now);
    }

    /** Of an attempt that was begun before gangs were kept. */
    static Gang of(Attempt attempt) {
        List<Seat> seats = attempt.members().stream()
                .map(member -> new Seat(member.nodeRank(), member.node(), member.gpus()))
                .toList();
        List<NodeId> lost = attempt.members().stream()
                .filter(Member::lost)
                .map(Member::node)
                .toList();
        Attempt.Place place = attempt.place();
        return new Gang(
                place.generation(),
                place.level(),
                place.domain(),
                seats,
                lost,
                List.of(),
                attempt.course().startedAt());
    }

    /** In rank order. Members that the job has released itself are no loss, nor are those that a repair took over. */
    static List<NodeId> lostIn(PlacementState placement, List<NodeId> released) {
        return placement.members().stream()
                .filter(member -> placement.lost().contains(member.node())
                        || member.until() != null
                                && placement.repairedBy() == null
                                && !released.contains(member.node()))
                .sorted(Comparator.comparingInt(PlacedMember::nodeRank))
                .map(PlacedMember::node)
                .toList();
    }

    /** An attempt may start on it. */
    boolean whole() {
        return wounded.isEmpty() && held.isEmpty();
    }

    /** Nothing of it is left to repair. */
    boolean lostWhole() {
        return lost().size() == seats.size();
    }

    /** In rank order. */
    List<NodeId> lost() {
        return nodes().stream()
                .filter(node -> wounded.contains(node) || held.contains(node))
                .toList();
    }

    List<NodeId> nodes() {
        return seats.stream().map(Seat::node).toList();
    }

    boolean has(NodeId node) {
        return nodes().contains(node);
    }

    Optional<NodeId> at(int nodeRank) {
        return seats.stream()
                .filter(seat -> seat.nodeRank == nodeRank)
                .map(Seat::node)
                .findFirst();
    }

    Gang wounding(List<NodeId> nodes) {
        return new Gang(generation, level, domain, seats, union(wounded, nodes), held, noticedAt);
    }

    Gang holding(List<NodeId> nodes) {
        return new Gang(generation, level, domain, seats, wounded, union(held, nodes), noticedAt);
    }

    /** The node is under no EVICT hold any more. */
    Gang freeing(NodeId node) {
        List<NodeId> still = held.stream().filter(one -> !one.equals(node)).toList();
        return new Gang(generation, level, domain, seats, wounded, still, noticedAt);
    }

    private List<NodeId> union(List<NodeId> known, List<NodeId> more) {
        List<NodeId> all = new ArrayList<>(
                Stream.concat(known.stream(), more.stream()).distinct().toList());
        all.retainAll(nodes());
        return all.stream().sorted().toList();
    }
}
