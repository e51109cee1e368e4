package io.muster.scheduling.explain;

import io.muster.scheduling.cluster.ClusterView;
import io.muster.scheduling.quota.QuotaVerdict;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What of the queue and its quota stands in the way. */
final class QuotaBlockers {

    private QuotaBlockers() {}

    static Optional<Blocker> of(ClusterView view, QuotaVerdict verdict) {
        return switch (verdict) {
            case QuotaVerdict.Granted granted -> Optional.empty();
            case QuotaVerdict.TreeUnknown unknown -> Optional.empty();
            case QuotaVerdict.UnknownQueue unknown ->
                Optional.of(new Blocker(
                        PendingReason.INVALID_QUEUE,
                        "Queue " + unknown.queue() + " is not in the quota tree (version "
                                + view.quotaTree().version() + ").",
                        "Name an existing queue, or ask an administrator to add " + unknown.queue() + "."));
            case QuotaVerdict.ClosedQueue closed ->
                Optional.of(new Blocker(
                        PendingReason.INVALID_QUEUE,
                        "Queue " + closed.queue() + " takes no new work: " + closed.closing() + " is closing.",
                        "Use another queue, or ask an administrator to reopen " + closed.closing() + "."));
            case QuotaVerdict.AboveLimit above ->
                Optional.of(new Blocker(
                        PendingReason.EXCEEDS_QUOTA_LIMIT,
                        "The gang needs " + GangWords.count(above.requested(), "GPU") + "; quota node " + above.at()
                                + " allows " + above.limit() + " in all.",
                        "Ask for at most " + GangWords.count(above.limit(), "GPU")
                                + ", or ask an administrator to raise the limit of " + above.at() + "."));
            case QuotaVerdict.NoRoomNow full -> Optional.of(full(full));
        };
    }

    private static Blocker full(QuotaVerdict.NoRoomNow full) {
        long room = Math.max(0, full.limit() - full.used());
        return new Blocker(
                PendingReason.WAITING_FOR_QUOTA,
                "The gang needs " + GangWords.count(full.requested(), "GPU") + "; quota node " + full.at() + " uses "
                        + full.used() + " of " + full.limit() + " and has room for " + room + ".",
                "It can start when " + (full.used() + full.requested() - full.limit()) + " GPUs below " + full.at()
                        + " are released; a gang of at most " + GangWords.count(room, "GPU") + " is within quota now.");
    }

    static @Nullable QuotaNumbers numbers(QuotaVerdict verdict) {
        return switch (verdict) {
            case QuotaVerdict.NoRoomNow full -> new QuotaNumbers(full.at(), full.used(), full.limit());
            case QuotaVerdict.AboveLimit above -> new QuotaNumbers(above.at(), above.used(), above.limit());
            case QuotaVerdict.Granted granted -> null;
            case QuotaVerdict.TreeUnknown unknown -> null;
            case QuotaVerdict.UnknownQueue unknown -> null;
            case QuotaVerdict.ClosedQueue closed -> null;
        };
    }
}
