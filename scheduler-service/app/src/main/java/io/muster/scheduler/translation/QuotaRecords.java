package io.muster.scheduler.translation;

import io.muster.contract.quota.QuotaTree;
import io.muster.scheduling.cluster.ClusterRecord.QuotaTreeChanged;
import io.muster.scheduling.gang.GpuCount;
import io.muster.scheduling.quota.QueuePath;
import io.muster.scheduling.quota.QuotaNode;
import org.jspecify.annotations.Nullable;

/** What the core sees of the quota tree: amounts and switches. Who may use a queue is settled at submission. */
public final class QuotaRecords {

    private QuotaRecords() {}

    public static QuotaTreeChanged of(QuotaTree tree) {
        return new QuotaTreeChanged(new io.muster.scheduling.quota.QuotaTree(
                tree.version(), tree.nodes().stream().map(QuotaRecords::node).toList()));
    }

    private static QuotaNode node(io.muster.contract.quota.QuotaNode node) {
        @Nullable Long limit = node.limitGpus();
        return new QuotaNode(
                new QueuePath(node.path().value()),
                GpuCount.of(node.guaranteedGpus()),
                limit == null ? null : GpuCount.of(limit),
                node.isolated(),
                node.closing());
    }
}
