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

    /** After this long the answer is UNKNOWN. */
    default Duration limit() {
        return Duration.ofMillis(1200);
    }

    Finding look() throws IOException, InterruptedException;
}
