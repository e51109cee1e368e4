package io.muster.contract.checkpoint;

import io.muster.contract.id.JobId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.TenantId;

/**
 * job-service's question before an attempt starts; the answer and the fence are one transaction: afterwards nothing of
 * an earlier attempt is committed any more.
 *
 * @param resumeFrom {@code latest}, {@code none} or a checkpoint id
 */
public record RestoreRequest(
        JobId jobId, TenantId tenant, ProjectId project, int attempt, String resumeFrom, int worldSize) {}
