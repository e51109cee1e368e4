package io.muster.contract.scheduling;

import io.muster.contract.id.ProjectId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import io.muster.contract.job.GangRequest;

/** Could this gang ever run, and could it start now? */
public record FeasibilityRequest(TenantId tenant, ProjectId project, QueuePath queue, int priority, GangRequest gang) {}
