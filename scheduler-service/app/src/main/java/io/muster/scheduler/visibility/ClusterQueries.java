package io.muster.scheduler.visibility;

import io.muster.contract.id.JobId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import io.muster.contract.quota.QuotaNode;
import io.muster.contract.quota.QuotaTree;
import io.muster.contract.scheduling.Explanation;
import io.muster.contract.scheduling.FeasibilityAnswer;
import io.muster.contract.scheduling.FeasibilityRequest;
import io.muster.edge.identity.UserCaller;
import io.muster.edge.page.Page;
import io.muster.edge.page.PageToken;
import io.muster.scheduler.allocation.AllocationRepository;
import io.muster.scheduler.allocation.SequencedPlacement;
import io.muster.scheduler.cycle.Publication;
import io.muster.scheduler.cycle.Published;
import io.muster.scheduler.translation.CoreIds;
import io.muster.scheduler.translation.Explanations;
import io.muster.scheduler.visibility.PendingJobs.PendingJob;
import io.muster.scheduling.cluster.ClusterImage;
import io.muster.scheduling.explain.Explainer;
import io.muster.scheduling.explain.RepairExplainer;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Answers every question but one from the published image in memory; the repair list is read from the tables. */
@Service
class ClusterQueries {

    private final Publication publication;
    private final AllocationRepository allocations;
    private final InstantSource clock;

    ClusterQueries(Publication publication, AllocationRepository allocations, InstantSource clock) {
        this.publication = publication;
        this.allocations = allocations;
        this.clock = clock;
    }

    FeasibilityAnswer feasibility(FeasibilityRequest request) {
        return FeasibilityCheck.of(publication.current(), request, clock.instant());
    }

    /** Empty for a job that is not in line and has no wounded gang. */
    Optional<Explanation> explanation(JobId job) {
        ClusterImage image = publication.current().image();
        Instant now = clock.instant();
        return RepairExplainer.explain(image, CoreIds.core(job), now)
                .or(() -> Explainer.explain(image, CoreIds.core(job), now))
                .map(Explanations::published);
    }

    List<SequencedPlacement> placementsAfter(long sequence, int limit) {
        return allocations.changedAfter(sequence, limit);
    }

    ClusterCapacity capacity() {
        return ClusterCapacity.of(publication.current());
    }

    LargestGangs largestGangs(@Nullable Integer gpusPerNode) {
        return LargestGangs.of(publication.current().image(), gpusPerNode);
    }

    /** Empty if there is no such queue, or it and all above it are another tenant's. */
    Optional<Page<PendingJob>> pending(QueuePath queue, UserCaller caller, int skip, int pageSize) {
        Published published = publication.current();
        if (!isVisible(published.quotas(), queue, caller)) {
            return Optional.empty();
        }
        List<PendingJob> found = PendingJobs.of(published, queue, caller, skip, pageSize + 1);
        boolean more = found.size() > pageSize;
        return Optional.of(new Page<>(
                more ? found.subList(0, pageSize) : found,
                more ? new PageToken(Integer.toString(skip + pageSize)).encoded() : null));
    }

    private static boolean isVisible(QuotaTree tree, QueuePath queue, UserCaller caller) {
        if (tree.find(queue).isEmpty()) {
            return false;
        }
        @Nullable TenantId owner = owner(tree, queue);
        return owner == null || owner.equals(caller.tenant()) || caller.seesAllTenants();
    }

    /** The nearest tenant at or above the queue; null = anyone's. */
    private static @Nullable TenantId owner(QuotaTree tree, QueuePath queue) {
        @Nullable QueuePath at = queue;
        while (at != null) {
            Optional<TenantId> owner = tree.find(at).map(QuotaNode::tenant);
            if (owner.isPresent()) {
                return owner.get();
            }
            at = at.parent().orElse(null);
        }
        return null;
    }
}
