package io.muster.quota.ledger;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;

/**
 * GPU time held from {@code from} to before {@code to}. {@code gpuMilliseconds} are exact integers, {@code gpuSeconds}
 * the same with three decimals. What is still held counts until now.
 */
record UsageReport(
        String groupBy,
        Instant from,
        Instant to,
        long totalGpuMilliseconds,
        BigDecimal totalGpuSeconds,
        List<Line> lines) {

    UsageReport {
        lines = List.copyOf(lines);
    }

    record Line(String key, long gpuMilliseconds, BigDecimal gpuSeconds, long heldGpus) {}

    static UsageReport of(UsageQuestion question, List<UsageRow> rows) {
        long total = rows.stream().mapToLong(UsageRow::gpuMillis).sum();
        List<Line> lines = rows.stream()
                .map(row -> new Line(row.key(), row.gpuMillis(), row.gpuSeconds(), row.heldGpus()))
                .toList();
        return new UsageReport(
                question.groupBy().word(), question.from(), question.to(), total, GpuSeconds.of(total), lines);
    }

    /** The lines as CSV with a header; no cell can hold a comma, a quote or a formula, because keys are ids and paths. */
    String csv() {
        var text = new StringBuilder(groupBy + ",gpuMilliseconds,gpuSeconds,heldGpus\r\n");
        for (Line line : lines) {
            text.append(line.key()).append(',').append(line.gpuMilliseconds());
            text.append(',')
                    .append(line.gpuSeconds())
                    .append(',')
                    .append(line.heldGpus())
                    .append("\r\n");
        }
        return text.toString();
    }
}
