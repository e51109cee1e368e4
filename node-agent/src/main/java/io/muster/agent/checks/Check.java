package io.muster.agent.checks;

import java.io.IOException;
import java.time.Duration;

/** One question about this node. Throwing means that it could not be asked: UNKNOWN, never a pass. */
interface Check {

    /** Stable, such as gpu_count. */
    String name();

    default boolean required() {
        return true;
    }

    /**
     * After this long the answer is UNKNOWN, which keeps work off the node; so it must be far above what a busy second
     * of a healthy node costs, and far below the 60 s that a preflight may take.
     */
    default Duration limit() {
        return Duration.ofSeconds(20);
    }

    Finding look() throws IOException, InterruptedException;

    /** What is said of what was found, also of UNKNOWN because the check was late, broken or still hangs. */
    default Finding told(Finding found) {
        return found;
    }
}
