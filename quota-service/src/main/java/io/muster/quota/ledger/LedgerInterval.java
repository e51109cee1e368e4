package io.muster.quota.ledger;

import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import org.jspecify.annotations.Nullable;

/**
 * A stretch of time in which a job held GPUs on a node. Times are whole milliseconds since 1970 (a finer time is cut, at
 * both ends alike, so that touching intervals stay touching).
 *
 * @param untilMillis null while held
 */
record LedgerInterval(
        Key key,
        @Nullable Long untilMillis,
        int generation,
        int gpus,
        TenantId tenant,
        ProjectId project,
        QueuePath queue) {

    LedgerInterval {
        if (untilMillis != null && untilMillis < key.sinceMillis()) {
            throw new IllegalArgumentException(key + " would end at " + untilMillis + ", before it began");
        }
    }

    /** A job holds a node's GPUs from one moment on only once, whatever generation of its placement says so. */
    record Key(JobId job, NodeId node, long sinceMillis) {}

    boolean held() {
        return untilMillis == null;
    }

    LedgerInterval endedAt(long millis) {
        return new LedgerInterval(key, Math.max(millis, key.sinceMillis()), generation, gpus, tenant, project, queue);
    }

    /** GPUs times milliseconds between {@code from} and {@code to}; an interval that is still held counts until {@code to}. */
    long gpuMillis(long from, long to) {
        long end = untilMillis == null ? to : Math.min(untilMillis, to);
        return Math.max(0, end - Math.max(key.sinceMillis(), from)) * gpus;
    }
}
