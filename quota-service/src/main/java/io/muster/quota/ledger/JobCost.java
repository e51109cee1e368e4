package io.muster.quota.ledger;

import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The bill of one job: what it held, interval by interval; the sum of the intervals is the total.
 *
 * @param asOf until when open intervals are counted
 */
record JobCost(
        JobId jobId,
        TenantId tenant,
        ProjectId project,
        QueuePath queue,
        Instant asOf,
        long gpuMilliseconds,
        BigDecimal gpuSeconds,
        long heldGpus,
        List<Line> intervals) {

    JobCost {
        intervals = List.copyOf(intervals);
    }

    /** @param until null while held */
    record Line(
            int generation,
            NodeId node,
            int gpus,
            Instant since,
            @Nullable Instant until,
            long gpuMilliseconds) {}

    /** @param intervals of one job, at least one */
    static JobCost of(List<LedgerInterval> intervals, Instant now) {
        List<Line> lines =
                intervals.stream().map(interval -> line(interval, now)).toList();
        long total = lines.stream().mapToLong(Line::gpuMilliseconds).sum();
        long held = intervals.stream()
                .filter(LedgerInterval::held)
                .mapToLong(LedgerInterval::gpus)
                .sum();
        LedgerInterval newest = intervals.getLast();
        return new JobCost(
                newest.key().job(),
                newest.tenant(),
                newest.project(),
                newest.queue(),
                now,
                total,
                GpuSeconds.of(total),
                held,
                lines);
    }

    private static Line line(LedgerInterval interval, Instant now) {
        Long until = interval.untilMillis();
        return new Line(
                interval.generation(),
                interval.key().node(),
                interval.gpus(),
                Instant.ofEpochMilli(interval.key().sinceMillis()),
                until == null ? null : Instant.ofEpochMilli(until),
                interval.gpuMillis(0, now.toEpochMilli()));
    }
}
