package io.muster.contract.placement;

import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import io.muster.contract.job.DomainType;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whole state of one generation of a job's allocation, the data of every event on {@code muster.placements.v1};
 * scheduler-service is its only writer. The sequence of the event rises over all generations of the job.
 *
 * @param reachedLevel the tightest level that holds all members
 * @param reachedDomain the domain's name at that level
 * @param endedAt when the last member was freed; null while any is held
 * @param lost nodes of this generation that are under an EVICT hold and not replaced yet, in rank order; what they held is
 *     free, the other members are still held for the job
 * @param repairedBy the generation that took over the healthy members at {@code endedAt}; null unless the gang was
 *     repaired. What ended so was neither released nor taken back
 */
public record PlacementState(
        JobId jobId,
        TenantId tenant,
        ProjectId project,
        QueuePath queue,
        int generation,
        long epoch,
        List<PlacedMember> members,
        DomainType reachedLevel,
        String reachedDomain,
        Instant placedAt,
        @Nullable Instant endedAt,
        List<NodeId> lost,
        @Nullable Integer repairedBy) {

    public PlacementState {
        members = List.copyOf(members);
        lost = lost == null ? List.of() : List.copyOf(lost);
    }
}
