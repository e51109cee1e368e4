package io.muster.simulator.failure;

/** What a moment of the job's wall time was. Each moment is exactly one of these. */
enum Phase {
    USEFUL("useful training"),
    STALL("checkpoint stall"),
    DETECT("detect"),
    DECIDE("decide"),
    REPLACE("replace"),
    WAIT("wait for a node"),
    PREFLIGHT("preflight"),
    RESTORE("restore"),
    RECONNECT("reconnect"),
    FIRST_STEP("first step"),
    /** Trained, but after the checkpoint that was restored: it has to be trained again. */
    RECOMPUTE("recompute");

    private final String words;

    Phase(String words) {
        this.words = words;
    }

    String words() {
        return words;
    }
}
