package io.muster.health.fault;

import io.muster.contract.id.JobId;
import io.muster.contract.id.TenantId;
import org.jspecify.annotations.Nullable;

/**
 * A job that a fault has touched.
 *
 * @param gpus which it held there
 * @param attempt the newest when it was touched; what later ones do belongs to the recovery
 * @param generation of its placement then
 * @param live it has not recovered yet
 * @param repairedBy the generation that is known to have taken over what was left of the one before it; null: none yet
 */
record TouchedJob(
        JobId job,
        TenantId tenant,
        int gpus,
        int attempt,
        int generation,
        boolean live,
        @Nullable Integer repairedBy) {

    TouchedJob(JobId job, TenantId tenant, int gpus, int attempt, int generation, boolean live) {
        this(job, tenant, gpus, attempt, generation, live, null);
    }

    TouchedJob recovered() {
        return new TouchedJob(job, tenant, gpus, attempt, generation, false, repairedBy);
    }

    TouchedJob repairedBy(int next) {
        return new TouchedJob(job, tenant, gpus, attempt, generation, live, next);
    }
}
