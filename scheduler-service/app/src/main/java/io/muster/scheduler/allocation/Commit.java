package io.muster.scheduler.allocation;

import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import io.muster.contract.job.DomainType;
import io.muster.contract.placement.PlacedMember;
import io.muster.contract.placement.PlacementState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What one cycle wants written: first what is freed, then what is repaired, then what is placed. Times are not known yet:
 * all of a commit happens at the one moment that the fence gives, so that what is freed and placed again in one commit
 * does not overlap.
 */
public record Commit(List<Freeing> freeings, List<Repair> repairs, List<Placing> placings) {

    public Commit {
        freeings = List.copyOf(freeings);
        repairs = List.copyOf(repairs);
        placings = List.copyOf(placings);
    }

    public boolean isEmpty() {
        return freeings.isEmpty() && repairs.isEmpty() && placings.isEmpty();
    }

    /**
     * Nodes of a live allocation are free: given back by their agents, or lost. A node that is free already stays as it
     * is, and one that is named as both was lost.
     */
    public record Freeing(PlacementState held, Set<NodeId> released, Set<NodeId> lost) {

        public Freeing {
            released = Set.copyOf(released);
            lost = Set.copyOf(lost);
        }

        public boolean wounds() {
            return held.members().stream().anyMatch(member -> member.until() == null && lost.contains(member.node()));
        }

        PlacementState at(Instant moment) {
            List<NodeId> allLost = new ArrayList<>();
            List<PlacedMember> members = new ArrayList<>();
            for (PlacedMember member : held.members()) {
                boolean now = member.until() == null && freesNow(member.node());
                if (held.lost().contains(member.node()) || (now && lost.contains(member.node()))) {
                    allLost.add(member.node());
                }
                members.add(now ? until(member, moment) : member);
            }
            boolean ended = members.stream().allMatch(member -> member.until() != null);
            return changed(held, members, ended ? moment : null, allLost, null);
        }

        private boolean freesNow(NodeId node) {
            return released.contains(node) || lost.contains(node);
        }

        /** All nodes that are freed, in the order of their names, for what is written. */
        Set<NodeId> sorted() {
            Set<NodeId> nodes = new TreeSet<>(released);
            nodes.addAll(lost);
            return nodes;
        }
    }

    /**
     * A wounded gang becomes whole as its next generation: the members that are held go over to it at one moment, without
     * being freed, and new ones join in the ranks of the lost.
     *
     * @param next the whole gang
     */
    public record Repair(PlacementState held, Placing next) {

        /** The generation that ends. Its lost members are replaced now, so none is listed. */
        PlacementState endedAt(Instant moment) {
            List<PlacedMember> members = held.members().stream()
                    .map(member -> member.until() == null ? until(member, moment) : member)
                    .toList();
            return changed(held, members, moment, List.of(), next.generation());
        }

        Set<NodeId> staying() {
            Set<NodeId> nodes = new TreeSet<>();
            for (PlacedMember member : held.members()) {
                if (member.until() == null) {
                    nodes.add(member.node());
                }
            }
            return nodes;
        }

        /** The same repair of what the allocation has become in this commit. */
        Repair of(PlacementState now) {
            return new Repair(now, next);
        }
    }

    /** A gang gets these GPUs, in rank order. */
    public record Placing(
            JobId jobId,
            TenantId tenant,
            ProjectId project,
            QueuePath queue,
            int generation,
            List<Seat> seats,
            DomainType reachedLevel,
            String reachedDomain) {

        public Placing {
            seats = List.copyOf(seats);
        }

        PlacementState at(Instant moment, long epoch) {
            List<PlacedMember> members = seats.stream()
                    .map(seat -> new PlacedMember(seat.nodeRank(), seat.node(), seat.gpus(), moment, null))
                    .toList();
            return new PlacementState(
                    jobId,
                    tenant,
                    project,
                    queue,
                    generation,
                    epoch,
                    members,
                    reachedLevel,
                    reachedDomain,
                    moment,
                    null,
                    List.of(),
                    null);
        }
    }

    /** A node of a gang and its GPUs there. */
    public record Seat(int nodeRank, NodeId node, List<Integer> gpus) {

        public Seat {
            gpus = List.copyOf(gpus);
        }
    }

    private static PlacedMember until(PlacedMember member, Instant moment) {
        return new PlacedMember(member.nodeRank(), member.node(), member.gpus(), member.since(), moment);
    }

    private static PlacementState changed(
            PlacementState held,
            List<PlacedMember> members,
            @Nullable Instant endedAt,
            List<NodeId> lost,
            @Nullable Integer repairedBy) {
        return new PlacementState(
                held.jobId(),
                held.tenant(),
                held.project(),
                held.queue(),
                held.generation(),
                held.epoch(),
                members,
                held.reachedLevel(),
                held.reachedDomain(),
                held.placedAt(),
                endedAt,
                lost,
                repairedBy);
    }
}
