package io.muster.quota.ledger;

import java.math.BigDecimal;

/**
 * @param key tenant, tenant/project, queue or job
 * @param gpuMillis GPUs times milliseconds held in the time asked for
 * @param heldGpus held at this moment
 */
record UsageRow(String key, long gpuMillis, long heldGpus) {

    BigDecimal gpuSeconds() {
        return GpuSeconds.of(gpuMillis);
    }
}
