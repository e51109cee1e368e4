package io.muster.simulator.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExpectationTest {

    /** The rows of reference/health.md 4b for 10,000 GPUs: u0, interval and stall in seconds, rate, ratio; no lag. */
    @ParameterizedTest
    @CsvSource({
        "900, 1800, 30, 2.34, 0.92",
        "900, 1800, 30, 6.5, 0.82",
        "600, 1800, 10, 3.79, 0.91",
        "300, 600, 10, 6.5, 0.93",
        "180, 300, 2, 6.5, 0.96",
        "60, 120, 0.5, 3.79, 0.99"
    })
    void itIsThePublishedTable(long restart, long interval, double stall, double rate, double ratio) {
        long stallMillis = Math.round(1_000 * stall);
        RecoveryPhases phases = new RecoveryPhases(
                "row",
                new Span(1_000 * restart, 1_000 * restart),
                Span.NONE,
                Span.NONE,
                Span.NONE,
                Span.NONE,
                Span.NONE,
                Span.NONE,
                "health.md");
        CheckpointCourse course = new CheckpointCourse(1_000, interval, new Span(stallMillis, stallMillis), 0, 1, 0);
        FailureSettings settings = FailureSettings.ofTenThousandGpus()
                .with(ClusterPlan.ofTenThousandGpus().with(1_250, 0))
                .with(FaultRates.single().withFaults(Math.round(1_000 * rate)))
                .with(phases)
                .with(course);

        assertThat(Expectation.of(settings, 0).effective()).isCloseTo(ratio, within(0.0051));
    }
}
