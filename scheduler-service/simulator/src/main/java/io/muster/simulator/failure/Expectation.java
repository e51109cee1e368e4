package io.muster.simulator.failure;

/**
 * What theory expects of single faults with a spare always at hand.
 *
 * <p>E[ETTR] = (1 - N r (u0 + d/2 + L)) / (1 + w/d), Meta, "Revisiting Reliability" (arXiv 2410.21680; reference/health.md
 * 4b), with the commit lag L of reference/checkpoint.md 3.1 added: N nodes of the job, r faults per node and time, u0 from
 * the failure to training again, d between two saves, w the stall of one. It is of the first order: a fault during a
 * recovery is charged as if it hit training.
 *
 * <p>Tolerance on the share lost to failures, stated with the report: three standard deviations of a compound Poisson sum
 * with as many faults as were seen, plus the square of the share for the order that the formula leaves out.
 */
record Expectation(double effective, double lostShare, double tolerance) {

    static Expectation of(FailureSettings settings, long interruptions) {
        double interval = settings.checkpoints().intervalMillis();
        double stall = settings.checkpoints().stall().meanMillis();
        double eachCosts = settings.phases().restartMillis()
                + interval / 2
                + settings.checkpoints().peerLagMillis();
        double share = eachCosts * failuresPerMilli(settings);
        double variation = interval * interval / 12 / (eachCosts * eachCosts);
        double noise = interruptions == 0 ? 0 : 3 * Math.sqrt((1 + variation) / interruptions);
        return new Expectation((1 - share) / (1 + stall / interval), share, share * noise + share * share);
    }

    /** What the formula expects of one phase, as a share of the wall time. */
    static double share(FailureSettings settings, Phase phase) {
        double interval = settings.checkpoints().intervalMillis();
        return switch (phase) {
            case USEFUL -> of(settings, 0).effective();
            case STALL -> {
                double stall = settings.checkpoints().stall().meanMillis();
                yield (1 - of(settings, 0).lostShare()) * stall / (interval + stall);
            }
            case RECOMPUTE ->
                failuresPerMilli(settings)
                        * (interval / 2 + settings.checkpoints().peerLagMillis());
            case DETECT, DECIDE, REPLACE, WAIT, PREFLIGHT, RESTORE, RECONNECT, FIRST_STEP ->
                failuresPerMilli(settings) * settings.phases().meanMillis(phase);
        };
    }

    private static double failuresPerMilli(FailureSettings settings) {
        return settings.rates().faultsPerMillionNodeDays() == 0
                ? 0
                : 1 / FailureSettings.millisBetweenFailures(settings.cluster(), settings.rates());
    }

    boolean agreesWith(Outcome single) {
        return Math.abs(single.lostShare() - lostShare) <= tolerance;
    }
}
