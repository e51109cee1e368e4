package io.muster.job.lifecycle;

import io.muster.contract.id.JobId;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Jobs that are being looked at, each by one thread. Whoever comes while a job is in hand is not sent away: the job is
 * looked at once more, because it may have become due by something that the look under way did not see.
 */
final class InHand {

    private enum Look {
        UNDER_WAY,
        AND_ONCE_MORE
    }

    private final ConcurrentHashMap<JobId, Look> looks = new ConcurrentHashMap<>();

    /** True if the caller is to look at it; else another one does, also once more. */
    boolean begin(JobId job) {
        return looks.compute(job, (same, look) -> look == null ? Look.UNDER_WAY : Look.AND_ONCE_MORE) == Look.UNDER_WAY;
    }

    /** After a look; true if the same caller is to look once more. */
    boolean onceMore(JobId job) {
        return looks.compute(job, (same, look) -> look == Look.AND_ONCE_MORE ? Look.UNDER_WAY : null) != null;
    }
}
