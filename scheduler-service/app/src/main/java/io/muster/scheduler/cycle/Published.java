package io.muster.scheduler.cycle;

import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.job.JobState;
import io.muster.contract.node.NodeCondition;
import io.muster.contract.quota.QuotaTree;
import io.muster.scheduling.cluster.ClusterImage;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What queries read, on any thread and without the database. The image is one moment; the two maps are live and may be
 * a moment ahead of it, which changes no placement, only a name or a word beside it.
 *
 * @param loaded false until the image was built from the database for the first time
 * @param epoch under which the image was made; 0 for a standby
 * @param jobs every job that has not ended or still holds something
 */
public record Published(
        boolean loaded,
        long epoch,
        ClusterImage image,
        SortedMap<JobId, JobState> jobs,
        SortedMap<NodeId, NodeCondition> conditions,
        QuotaTree quotas) {

    static final Published NOTHING =
            new Published(false, 0, ClusterImage.EMPTY, new TreeMap<>(), new TreeMap<>(), new QuotaTree(0, List.of()));

    public Published {
        jobs = Collections.unmodifiableSortedMap(jobs);
        conditions = Collections.unmodifiableSortedMap(conditions);
    }

    /** Whether there is anything to judge a request by. */
    public boolean knowsNodes() {
        return loaded && image.anyRegistered();
    }

    public boolean leads() {
        return epoch > 0;
    }
}
