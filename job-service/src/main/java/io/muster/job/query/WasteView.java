package io.muster.job.query;

import io.muster.contract.id.JobId;
import io.muster.job.waste.GpuTime;
import io.muster.job.waste.WasteLedger;
import java.time.Instant;
import java.util.List;

/**
 * Where the GPU time that a job held went.
 *
 * @param asOf what is still held counts until then
 * @param attempts with the time before the first, after the last and between two they sum to the total
 */
public record WasteView(
        JobId job, Instant asOf, GpuTime total, List<WasteLedger.OfAttempt> attempts, GpuTime betweenAttempts) {

    static WasteView of(JobId job, Instant asOf, WasteLedger ledger) {
        return new WasteView(job, asOf, ledger.total(), ledger.attempts(), ledger.betweenAttempts());
    }
}
