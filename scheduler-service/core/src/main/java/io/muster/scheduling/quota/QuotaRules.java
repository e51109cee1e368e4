package io.muster.scheduling.quota;

import io.muster.scheduling.gang.GpuCount;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a queue may use more GPUs. The limit of the queue and of every ancestor holds; the one with the least
 * room is named. A closing node, or one below it, takes nothing new; what already runs there stays.
 */
public final class QuotaRules {

    private static final QuotaVerdict GRANTED = new QuotaVerdict.Granted();

    private QuotaRules() {}

    /** {@code used} gives the GPUs in use at and below a node, by its number. */
    public static QuotaVerdict judge(QuotaTree tree, IntToLongFunction used, QueuePath queue, long requested) {
        if (tree.version() == 0 && tree.size() == 0) {
            return new QuotaVerdict.TreeUnknown();
        }
        int start = tree.numberOf(queue);
        if (start == QuotaTree.ABSENT) {
            return new QuotaVerdict.UnknownQueue(queue);
        }
        int closing = closingAtOrAbove(tree, start);
        if (closing != QuotaTree.ABSENT) {
            return new QuotaVerdict.ClosedQueue(queue, tree.node(closing).path());
        }
        QuotaVerdict verdict = GRANTED;
        long leastRoom = requested;
        for (int at = start; at != QuotaTree.ABSENT; at = tree.parentOf(at)) {
            @Nullable GpuCount limit = tree.node(at).limit();
            if (limit == null) {
                continue;
            }
            if (requested > limit.value()) {
                return new QuotaVerdict.AboveLimit(
                        tree.node(at).path(), requested, used.applyAsLong(at), limit.value());
            }
            long room = limit.value() - used.applyAsLong(at);
            if (room < leastRoom) {
                leastRoom = room;
                verdict = new QuotaVerdict.NoRoomNow(
                        tree.node(at).path(), requested, used.applyAsLong(at), limit.value());
            }
        }
        return verdict;
    }

    private static int closingAtOrAbove(QuotaTree tree, int start) {
        for (int at = start; at != QuotaTree.ABSENT; at = tree.parentOf(at)) {
            if (tree.node(at).closing()) {
                return at;
            }
        }
        return QuotaTree.ABSENT;
    }
}
