package io.muster.scheduling.cluster;

import io.muster.scheduling.gang.GangRequest;
import io.muster.scheduling.quota.QueuePath;

/**
 * What a job wants and where it stands in line.
 *
 * @param priority higher first
 * @param requeued released whole through no fault of its own; goes ahead of its peers of the same priority
 * @param submission rises with the time of submission; lower first
 */
public record Demand(QueuePath queue, int priority, boolean requeued, long submission, GangRequest gang) {}
