package io.muster.simulator.failure;

/** Why a node is out, or marked. */
enum Cause {
    NODE("node"),
    POWER_UNIT("power unit"),
    LEAF("leaf switch"),
    RELEASE("driver release"),
    /** A finding that stops nobody: the node takes no new work until it has been validated. */
    WARNING("warning");

    private final String words;

    Cause(String words) {
        this.words = words;
    }

    String words() {
        return words;
    }

    boolean takesTheNodeOut() {
        return this != WARNING;
    }
}
