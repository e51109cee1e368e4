package io.muster.health.registry;

import io.muster.contract.id.NodeId;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A wish for a join token. */
record JoinTokenRequest(
        @Schema(description = "the node that may join with it", example = "r1-n9", type = "string") @Nullable
        NodeId node,

        @Schema(
                description = "when it expires, at most 30 days from now; default: in 24 hours",
                example = "2026-12-01T12:00:00Z")
        @Nullable
        Instant expires) {}
