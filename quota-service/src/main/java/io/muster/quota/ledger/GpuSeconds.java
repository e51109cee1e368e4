package io.muster.quota.ledger;

import java.math.BigDecimal;

/** GPU-seconds as people read them: exact, with three decimals. */
final class GpuSeconds {

    private GpuSeconds() {}

    static BigDecimal of(long gpuMillis) {
        return BigDecimal.valueOf(gpuMillis, 3);
    }
}
