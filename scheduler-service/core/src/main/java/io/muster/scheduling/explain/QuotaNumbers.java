package io.muster.scheduling.explain;

import io.muster.scheduling.quota.QueuePath;

/** The quota node with the least room, of the queue and its ancestors. */
public record QuotaNumbers(QueuePath at, long usedGpus, long limitGpus) {}
