package io.muster.job.query;

import io.muster.contract.id.JobId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import io.muster.contract.job.JobPhase;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A job in a list. */
public record JobSummary(
        JobId id,
        TenantId tenant,
        ProjectId project,
        QueuePath queue,
        String name,
        JobPhase state,
        String reason,
        String message,
        int nodes,
        int gpus,
        int attempt,
        Instant submittedAt,
        @Nullable Instant endedAt,
        Map<String, String> labels) {}
