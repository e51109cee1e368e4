package io.muster.scheduling.quota;

import io.muster.scheduling.gang.GpuCount;
import org.jspecify.annotations.Nullable;

/**
 * One node of the quota tree.
 *
 * @param guaranteed what its members may always have
 * @param limit what they may have at most; null = no limit of its own
 * @param isolated neither lends nor borrows
 * @param closing takes no new work, nor does anything below it
 */
public record QuotaNode(
        QueuePath path, GpuCount guaranteed, @Nullable GpuCount limit, boolean isolated, boolean closing) {}
