package io.muster.simulator.failure;

/** Small clusters with as many faults a day as 10,000 GPUs have. */
final class Scenarios {

    private static final ClusterPlan CLUSTER = new ClusterPlan(48, 16, 8, 2, 4);
    /** So small that every change is followed by all invariants of the core. */
    private static final ClusterPlan SMALLEST = new ClusterPlan(24, 8, 8, 2, 2);

    private static final long FAULTS = 6_500L * 1_224 / 48;

    private Scenarios() {}

    /** Single faults, repaired before the spares run out; no warnings. */
    static FailureSettings single() {
        FaultRates rates = FaultRates.single()
                .withFaults(FAULTS)
                .withWarnings(0)
                .withRepair(100, Span.minutes(30, 60), Span.minutes(30, 60));
        return FailureSettings.ofTenThousandGpus().with(CLUSTER).with(rates);
    }

    /** Everything, often, with recoveries long enough to be hit again; spares run out. */
    static FailureSettings everything() {
        FailureSettings single = single();
        return single.with(SMALLEST)
                .with(RecoveryPhases.published())
                .with(single.rates()
                        .withCorrelated(600, 600, 600)
                        .withWarnings(200_000)
                        .withRepair(70, Span.minutes(30, 132), Span.minutes(600, 2_000)))
                .withDays(8);
    }
}
