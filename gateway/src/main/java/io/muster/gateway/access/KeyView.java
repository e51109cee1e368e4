package io.muster.gateway.access;

import io.muster.contract.id.ProjectId;
import io.muster.contract.id.TenantId;
import io.muster.edge.identity.Role;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A key as administrators see it: everything but its secret. */
record KeyView(
        KeyId id,
        String name,
        TenantId tenant,
        List<ProjectId> projects,
        Role role,
        Instant createdAt,
        @Nullable Instant lastUsedAt,
        @Nullable Instant expiresAt,
        @Nullable Instant revokedAt) {

    static KeyView of(ApiKey key) {
        return new KeyView(
                key.id(),
                key.name(),
                key.tenant(),
                key.projects(),
                key.role(),
                key.createdAt(),
                key.lastUsedAt(),
                key.expiresAt(),
                key.revokedAt());
    }
}
