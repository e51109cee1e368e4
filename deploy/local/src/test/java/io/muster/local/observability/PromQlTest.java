package io.muster.local.observability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The checker of queries finds what it is there to find; otherwise every test that uses it could not fail. */
class PromQlTest {

    private static final Map<String, Series> KNOWN = Map.of(
            "jobs",
                    new Series(
                            false, Map.of("state", List.of("RUNNING", "QUEUED"), "queue", List.of(), "job", List.of())),
            "gpus", new Series(false, Map.of("state", List.of("free"), "job", List.of())),
            "restarts_total", new Series(true, Map.of("cause", List.of(), "job", List.of())),
            "wait_seconds_bucket", new Series(true, Map.of("queue", List.of(), "le", List.of())),
            "muster:jobs:once", new Series(false, Map.of("state", List.of())));

    private static PromQl.Checked check(String query) {
        return PromQl.check(query, name -> Optional.ofNullable(KNOWN.get(name)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            value = {
                "jobs => [job, queue, state]",
                "jobs{state=\"RUNNING\", queue!=\"x\"} # only those => [job, queue, state]",
                "sum by (queue) (jobs) => [queue]",
                "sum(jobs) by (queue) => [queue]",
                "sum without (queue, job) (jobs) => [state]",
                "sum(rate(restarts_total[5m])) => []",
                "sum by (cause) (increase(restarts_total{cause=~\"A|B\"}[1h] offset 1d)) => [cause]",
                "histogram_quantile(0.9, sum by (queue, le) (rate(wait_seconds_bucket[5m]))) => [queue]",
                "sum by (state) (jobs) / on (state) group_left sum by (state) (gpus) => [state]",
                "jobs and on (job) (gpus > 0) => [job, queue, state]",
                "jobs unless ignoring (queue) gpus => [job, queue, state]",
                "(max(jobs) or vector(0)) < 1 => []",
                "1 - sum(jobs) / sum(gpus) ^ 2 => []",
                "-sum(jobs{state='QUEUED'}) >= bool 0x1F + 1.5e-3 => []",
                "topk(3, jobs) => [job, queue, state]",
                "absent(jobs{state=\"RUNNING\"}) => [state]",
                "max_over_time(gpus[1h:5m]) => [job, state]",
                "muster:jobs:once{state=`QUEUED`} => [state]",
                "clamp_min(sum(jobs), 1) == time() => []"
            })
    void aGoodQueryIsReadAndItsLabelsAreKnown(String query, String labels) {
        assertThat(check(query).labels().toString()).isEqualTo(labels);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "no_such_series",
                "sum(jobs) / sum(no_such_series)",
                "sum by (node) (jobs)",
                "sum without (node) (jobs)",
                "sum by (state) (jobs{node=\"x\"})",
                "jobs{state=\"FLYING\"}",
                "jobs{state!=\"FLYING\"}",
                "jobs{state=~\"RUNNING|FLYING\"}",
                "restarts_total",
                "sum(restarts_total)",
                "restarts_total > 1",
                "rate(restarts_total)",
                "rate(jobs[5m])",
                "max_over_time(restarts_total[5m])",
                "sum(jobs[5m])",
                "jobs[5m]",
                "histogram_quantile(0.9, sum by (queue) (rate(wait_seconds_bucket[5m])))",
                "jobs / gpus",
                "jobs and gpus",
                "sum by (state) (jobs) / on (queue) sum by (queue) (jobs)",
                "sum(jobs) and bool sum(gpus)",
                "sum(jobs",
                "sum(jobs))",
                "sum(jobs) +",
                "jobs{state=}",
                "jobs{state=\"RUNNING\"",
                "topk(jobs)",
                "sum(1, jobs)",
                "sum(1)",
                "magic(jobs)",
                "jobs ? gpus",
                "\"text\"",
                "rate(restarts_total[5 minutes])",
                ""
            })
    void aBadQueryIsRefused(String query) {
        assertThatThrownBy(() -> check(query)).isInstanceOf(PromQlException.class);
    }

    @Test
    void theSeriesThatAQueryReadsAreNamed() {
        assertThat(check("sum(jobs) / sum(gpus)").names()).containsExactly("gpus", "jobs");
    }
}
