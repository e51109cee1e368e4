package io.muster.health.fault;

import io.muster.contract.id.JobId;
import io.muster.contract.id.TenantId;

/**
 * A job that a fault has touched.
 *
 * @param gpus which it held there
 * @param attempt the newest when it was touched; what later ones do belongs to the recovery
 * @param generation of its placement then
 * @param live it has not recovered yet
 */
record TouchedJob(JobId job, TenantId tenant, int gpus, int attempt, int generation, boolean live) {

    TouchedJob recovered() {
        return new TouchedJob(job, tenant, gpus, attempt, generation, false);
    }
}
