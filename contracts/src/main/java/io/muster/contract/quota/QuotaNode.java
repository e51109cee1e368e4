package io.muster.contract.quota;

import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One node of the quota tree.
 *
 * @param guaranteedGpus what its members may always have; the children's sum is at most this
 * @param limitGpus what they may have at most; null = no limit of its own
 * @param weight share of idle capacity
 * @param isolated neither lends nor borrows
 * @param pool the public pool: guarantee 0, open to every tenant
 * @param closing takes no new jobs; it can be deleted once nothing uses it
 * @param tenant only this tenant's jobs may use it and what is below; null = as its parent says, at the root anyone
 * @param defaultOf projects whose jobs come here when they name no queue, as {@code tenant/project}
 */
public record QuotaNode(
        QueuePath path,
        long guaranteedGpus,
        @Nullable Long limitGpus,
        int weight,
        boolean isolated,
        boolean pool,
        boolean closing,
        @Nullable TenantId tenant,
        List<String> defaultOf) {

    public QuotaNode {
        defaultOf = List.copyOf(defaultOf);
    }
}
