package io.muster.simulator.failure;

/**
 * One scenario.
 *
 * @param repairWaitMillis how long a wounded gang keeps its healthy nodes before it is queued whole; 10 minutes, job-service's
 *     default
 */
record FailureSettings(
        ClusterPlan cluster,
        FaultRates rates,
        RecoveryPhases phases,
        CheckpointCourse checkpoints,
        int days,
        long repairWaitMillis) {

    static final long DAY_MILLIS = 86_400_000;

    FailureSettings {
        if (days < 1 || days > 3_650 || repairWaitMillis < 1) {
            throw new IllegalArgumentException(days + " days with a repair wait of " + repairWaitMillis
                    + " ms; 1 to 3650 days and at least 1 ms are needed");
        }
    }

    /** 10,000 GPUs for 60 days at published rates, single faults, phases as measured, saves at Young's optimum. */
    static FailureSettings ofTenThousandGpus() {
        ClusterPlan cluster = ClusterPlan.ofTenThousandGpus();
        FaultRates rates = FaultRates.single();
        return new FailureSettings(
                cluster,
                rates,
                RecoveryPhases.measured(),
                CheckpointCourse.young(millisBetweenFailures(cluster, rates)),
                60,
                600_000);
    }

    /** Of the job, by faults of single nodes; MTTF(N nodes) = 1 / (N x rate), Meta RSC (reference/health.md 4a). */
    static double millisBetweenFailures(ClusterPlan cluster, FaultRates rates) {
        return 1e6 * DAY_MILLIS / ((double) cluster.jobNodes() * rates.faultsPerMillionNodeDays());
    }

    long millis() {
        return days * DAY_MILLIS;
    }

    FailureSettings with(ClusterPlan newCluster) {
        return new FailureSettings(newCluster, rates, phases, checkpoints, days, repairWaitMillis);
    }

    FailureSettings with(FaultRates newRates) {
        return new FailureSettings(cluster, newRates, phases, checkpoints, days, repairWaitMillis);
    }

    FailureSettings with(RecoveryPhases newPhases) {
        return new FailureSettings(cluster, rates, newPhases, checkpoints, days, repairWaitMillis);
    }

    FailureSettings with(CheckpointCourse newCheckpoints) {
        return new FailureSettings(cluster, rates, phases, newCheckpoints, days, repairWaitMillis);
    }

    FailureSettings withDays(int newDays) {
        return new FailureSettings(cluster, rates, phases, checkpoints, newDays, repairWaitMillis);
    }

    FailureSettings withRepairWait(long newRepairWaitMillis) {
        return new FailureSettings(cluster, rates, phases, checkpoints, days, newRepairWaitMillis);
    }
}
