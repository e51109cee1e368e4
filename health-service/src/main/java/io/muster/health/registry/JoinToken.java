package io.muster.health.registry;

import io.muster.contract.id.NodeId;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;

/** A new join token; this is the only time that it is shown. */
record JoinToken(
        @Schema(type = "string", example = "r1-n9") NodeId node,

        @Schema(description = "the secret, shown once", example = "join_Zk3…")
        String token,

        Instant expiresAt) {

    /** Never the secret itself: records end up in logs. */
    @Override
    public String toString() {
        return "JoinToken[node=" + node + ", expiresAt=" + expiresAt + "]";
    }
}
