package io.muster.health.operation;

import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Why a person keeps new work off a node. */
record CordonRequest(
        @Schema(
                description = "shown to everybody who asks about the node, 1 to 500 characters",
                example = "replacing the NIC, ticket 4711")
        @Nullable
        String reason) {}
