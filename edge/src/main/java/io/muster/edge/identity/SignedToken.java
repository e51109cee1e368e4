package io.muster.edge.identity;

import java.time.Instant;

/** A token and the end of its life. */
public record SignedToken(String value, Instant expiresAt) {

    /** Never the token itself: records end up in logs. */
    @Override
    public String toString() {
        return "SignedToken[expiresAt=" + expiresAt + "]";
    }
}
