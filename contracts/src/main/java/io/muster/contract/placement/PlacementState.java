package io.muster.contract.placement;

import io.muster.contract.id.JobId;
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
        @Nullable Instant endedAt) {

    public PlacementState {
        members = List.copyOf(members);
    }
}
