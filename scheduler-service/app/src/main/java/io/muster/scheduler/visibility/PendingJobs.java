package io.muster.scheduler.visibility;

import io.muster.contract.id.JobId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.job.JobState;
import io.muster.edge.identity.UserCaller;
import io.muster.scheduler.cycle.Published;
import io.muster.scheduler.translation.CoreIds;
import io.muster.scheduling.cluster.KnownJob;
import io.muster.scheduling.gang.GangRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that wait in a queue or below it, first in line first. The caller sees who they are only where the job is its
 * own (its tenant's, in a project its key may use) or it may see every tenant; of the others it sees place and size.
 */
final class PendingJobs {

    private PendingJobs() {}

    /**
     * A place in line.
     *
     * @param position in this queue, from 1
     * @param jobId null, like everything after it, for a job that is not the caller's
     */
    record PendingJob(
            int position,
            int nodes,
            int gpusPerNode,
            int gpus,
            @Nullable JobId jobId,
            @Nullable String name,
            @Nullable ProjectId project,
            @Nullable QueuePath queue,
            @Nullable Integer priority,
            @Nullable Boolean requeued,
            @Nullable Instant submittedAt) {}

    /** Up to {@code limit} places behind the first {@code skip}. */
    static List<PendingJob> of(Published published, QueuePath queue, UserCaller caller, int skip, int limit) {
        List<PendingJob> pending = new ArrayList<>();
        int position = 0;
        for (var entry : published.image().waiting()) {
            KnownJob waiting = entry.getValue();
            if (!isAtOrBelow(queue, waiting.demand().queue().value()) || ++position <= skip) {
                continue;
            }
            if (pending.size() == limit) {
                break;
            }
            @Nullable JobState job = published.jobs().get(CoreIds.published(waiting.job()));
            GangRequest gang = waiting.demand().gang();
            pending.add(job != null && isShown(job, caller) ? shown(position, gang, job) : masked(position, gang));
        }
        return pending;
    }

    private static boolean isAtOrBelow(QueuePath queue, String path) {
        return queue.isRoot() || path.equals(queue.value()) || path.startsWith(queue.value() + "/");
    }

    private static boolean isShown(JobState job, UserCaller caller) {
        return caller.seesAllTenants() || job.tenant().equals(caller.tenant()) && caller.mayUse(job.project());
    }

    private static PendingJob shown(int position, GangRequest gang, JobState job) {
        return new PendingJob(
                position,
                gang.nodes(),
                gang.gpusPerNode(),
                gang.gpus(),
                job.jobId(),
                job.name(),
                job.project(),
                job.queue(),
                job.priority(),
                job.requeued(),
                job.submittedAt());
    }

    private static PendingJob masked(int position, GangRequest gang) {
        return new PendingJob(
                position, gang.nodes(), gang.gpusPerNode(), gang.gpus(), null, null, null, null, null, null, null);
    }
}
