package io.muster.scheduling.quota;

/** May this many GPUs be used in a queue? */
public sealed interface QuotaVerdict {

    /** No tree has been received yet. */
    record TreeUnknown() implements QuotaVerdict {}

    record UnknownQueue(QueuePath queue) implements QuotaVerdict {}

    /** {@code closing} is the queue itself or the ancestor that closes it. */
    record ClosedQueue(QueuePath queue, QueuePath closing) implements QuotaVerdict {}

    /** More than {@code at} allows even if nothing else ran below it. */
    record AboveLimit(QueuePath at, long requested, long used, long limit) implements QuotaVerdict {}

    /** {@code at} is the ancestor with the least room. */
    record NoRoomNow(QueuePath at, long requested, long used, long limit) implements QuotaVerdict {}

    record Granted() implements QuotaVerdict {}
}
