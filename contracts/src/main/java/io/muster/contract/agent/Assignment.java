package io.muster.contract.agent;

import io.muster.contract.id.JobId;
import org.jspecify.annotations.Nullable;

/** One attempt on this node and what to do about it; the task is null only for STOP. */
public record Assignment(
        JobId jobId,
        int attempt,
        int generation,
        AssignmentAction action,
        @Nullable GangTask task) {}
