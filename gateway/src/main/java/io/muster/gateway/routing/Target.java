package io.muster.gateway.routing;

import java.util.Locale;

/** A service behind the gateway. */
public enum Target {
    JOB,
    QUOTA,
    SCHEDULER,
    HEALTH,
    CHECKPOINT;

    /** As in {@code muster.services.<name>.url}. */
    public String shortName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
