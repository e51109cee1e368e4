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
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What one cycle wants written: first what is freed, then what is placed. Times are not known yet: all of a commit
 * happens at the one moment that the fence gives, so that what is freed and placed again in one commit does not overlap.
 */
public record Commit(List<Release> releases, List<Placing> placings) {

    public Commit {
        releases = List.copyOf(releases);
        placings = List.copyOf(placings);
    }

    public boolean isEmpty() {
        return releases.isEmpty() && placings.isEmpty();
    }

    /** These nodes of a live allocation are free. */
    public record Release(PlacementState held, Set<NodeId> nodes) {

        public Release {
            nodes = Set.copyOf(nodes);
        }

        PlacementState at(Instant moment) {
            List<PlacedMember> members = held.members().stream()
                    .map(member -> frees(member) ? freed(member, moment) : member)
                    .toList();
            boolean ended = members.stream().allMatch(member -> member.until() != null);
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
                    ended ? moment : null, List.of(), null);
        }

        /** In the order of their names, for what is written. */
        Set<NodeId> sorted() {
            return new TreeSet<>(nodes);
        }

        private boolean frees(PlacedMember member) {
            return member.until() == null && nodes.contains(member.node());
        }

        private static PlacedMember freed(PlacedMember member, Instant moment) {
            return new PlacedMember(member.nodeRank(), member.node(), member.gpus(), member.since(), moment);
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
                    null, List.of(), null);
        }
    }

    /** A node of a gang and its GPUs there. */
    public record Seat(int nodeRank, NodeId node, List<Integer> gpus) {

        public Seat {
            gpus = List.copyOf(gpus);
        }
    }
}
