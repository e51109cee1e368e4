package io.muster.health.hold;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A wish to hold something.
 *
 * @param target node id, {@code node/gpu-index} or {@code rack/name}, by the cause's scope
 * @param session the node's life that the evidence is from
 * @param notBefore passed checks do not lift it earlier; null: at once
 */
public record HoldOpening(
        HoldCause cause,
        String target,
        String message,
        String owner,
        long session,
        @Nullable Instant notBefore) {

    public HoldOpening {
        if (message.isBlank()) {
            throw new IllegalArgumentException("a hold says why: " + cause + " on " + target);
        }
    }

    /** Opened by health-service itself, liftable as soon as checks pass. */
    public static HoldOpening byHealth(HoldCause cause, String target, String message, long session) {
        return new HoldOpening(cause, target, message, HoldBook.HEALTH, session, null);
    }
}
