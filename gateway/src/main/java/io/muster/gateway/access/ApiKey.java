package io.muster.gateway.access;

import io.muster.contract.id.ProjectId;
import io.muster.contract.id.TenantId;
import io.muster.edge.identity.Role;
import io.muster.edge.identity.UserCaller;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A key as the gateway knows it.
 *
 * @param projects what it is limited to; empty means every project of the tenant
 * @param lastUsedAt to about ten minutes
 */
record ApiKey(
        KeyId id,
        String name,
        TenantId tenant,
        List<ProjectId> projects,
        Role role,
        SecretHash hash,
        Instant createdAt,
        @Nullable Instant lastUsedAt,
        @Nullable Instant expiresAt,
        @Nullable Instant revokedAt) {

    ApiKey {
        projects = List.copyOf(projects);
    }

    UserCaller caller() {
        return new UserCaller(tenant, projects, role, id.value());
    }

    /** The secret decides before anything about the key is told. */
    KeyVerdict judge(ApiKeySecret presented, Instant now) {
        if (!hash.equals(presented.hash())) {
            return new KeyVerdict.Unknown();
        }
        if (revokedAt != null) {
            return new KeyVerdict.Refused("API key " + id + " ('" + name + "') was revoked at " + revokedAt);
        }
        if (expiresAt != null && !now.isBefore(expiresAt)) {
            return new KeyVerdict.Refused("API key " + id + " ('" + name + "') expired at " + expiresAt);
        }
        return new KeyVerdict.Accepted(caller());
    }
}
