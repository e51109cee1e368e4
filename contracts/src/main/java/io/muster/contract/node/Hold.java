package io.muster.contract.node;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A reason why a node, GPU or domain must not be used, with its effect. Nobody but its owner lifts it.
 *
 * @param target node id, {@code node/gpu-index} or domain name, by scope
 * @param cause a stable code, such as LEASE_EXPIRED, CHECK_FAILED or CORDONED
 * @param owner who opened it and may lift it: {@code health} or an administrator's key id
 * @param session the node's life that the evidence is from
 */
public record Hold(
        String holdId,
        HoldScope scope,
        String target,
        HoldEffect effect,
        String cause,
        String message,
        String owner,
        long session,
        Instant since,
        @Nullable Instant expiresAt) {}
