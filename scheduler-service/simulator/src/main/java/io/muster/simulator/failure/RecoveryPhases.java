package io.muster.simulator.failure;

/**
 * How long each phase of a recovery lasts; waiting for a node and recomputing come out of the simulation.
 *
 * @param detect from the failure to the EVICT hold
 * @param decide from there to the verdict
 * @param replace from the verdict to the scheduler's decision
 * @param source where the figures come from, as the report says it
 */
record RecoveryPhases(
        String name,
        Span detect,
        Span decide,
        Span replace,
        Span preflight,
        Span restore,
        Span reconnect,
        Span firstStep,
        String source) {

    /**
     * What {@code ./muster demo} measures on a 2-core machine with 4 ranks and a small model: kill to detected 2.5 to 3.0 s
     * (heartbeat 1 s, lease 3 s, the services' defaults), placed 0.6 to 0.9 s later, restored 1.4 to 2.5 s later, the next
     * step 2.7 s later. It does not tell decide from replace, preflight from restore, nor reconnect from the first step:
     * the second of each pair of phases is 0 here, or the first where the second names the moment that was measured.
     */
    static RecoveryPhases measured() {
        return new RecoveryPhases(
                "measured",
                new Span(2_500, 3_000),
                new Span(600, 900),
                Span.NONE,
                Span.NONE,
                new Span(1_400, 2_500),
                Span.NONE,
                new Span(2_700, 2_700),
                "./muster demo on 2 cores, 4 ranks; replace is told with decide, preflight with restore, reconnect with"
                        + " first step");
    }

    /**
     * What a job of this size needs where the demo cannot tell. Names as in reference/health.md 4c: detection by ByteRobust
     * (2 s for a dead system, 10 s for a lost GPU, 30 s for a network card); the verdict as measured; checks of 60 s
     * (section 7, 11: bound for a gang of 10,000 GPUs); 22 GB a node verified with SHA-256 in 13 s on one core, read from
     * peers meanwhile (reference/checkpoint.md 3.3); collectives set up in 17 s (Meta at 16,000) to 30 s (MegaScale beyond
     * 10,000 GPUs); the first step so that the whole is the cold restart of about 200 s that Meta reports at 16,000 GPUs.
     */
    static RecoveryPhases published() {
        return new RecoveryPhases(
                "published",
                Span.seconds(2, 30),
                new Span(600, 900),
                Span.NONE,
                Span.seconds(60, 60),
                Span.seconds(13, 30),
                Span.seconds(17, 30),
                Span.seconds(60, 90),
                "published restarts of 10,000 to 16,000 GPUs (ByteRobust, MegaScale, Meta), about 200 s in all");
    }

    double meanMillis(Phase phase) {
        return span(phase).meanMillis();
    }

    /** From the failure to training again, without waiting and without what is trained again. */
    double restartMillis() {
        double sum = 0;
        for (Phase phase : Phase.values()) {
            sum += meanMillis(phase);
        }
        return sum;
    }

    Span span(Phase phase) {
        return switch (phase) {
            case DETECT -> detect;
            case DECIDE -> decide;
            case REPLACE -> replace;
            case PREFLIGHT -> preflight;
            case RESTORE -> restore;
            case RECONNECT -> reconnect;
            case FIRST_STEP -> firstStep;
            case USEFUL, STALL, WAIT, RECOMPUTE -> Span.NONE;
        };
    }
}
