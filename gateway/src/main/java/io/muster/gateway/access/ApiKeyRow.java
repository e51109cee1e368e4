package io.muster.gateway.access;

import io.muster.contract.id.ProjectId;
import io.muster.contract.id.TenantId;
import io.muster.edge.identity.Role;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.Arrays;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;
import org.jspecify.annotations.Nullable;
import org.springframework.data.domain.Persistable;

@Entity
@Table(name = "api_key")
class ApiKeyRow implements Persistable<String> {

    @Id
    private String id;

    private String name;
    private String tenantId;

    @JdbcTypeCode(SqlTypes.ARRAY)
    private String[] projects;

    private String role;
    private byte[] secretHash;
    private Instant createdAt;
    private @Nullable Instant lastUsedAt;
    private @Nullable Instant expiresAt;
    private @Nullable Instant revokedAt;

    protected ApiKeyRow() {}

    ApiKeyRow(ApiKey key) {
        this.id = key.id().value();
        this.name = key.name();
        this.tenantId = key.tenant().value();
        this.projects = key.projects().stream().map(ProjectId::value).toArray(String[]::new);
        this.role = key.role().name();
        this.secretHash = key.hash().bytes();
        this.createdAt = key.createdAt();
        this.lastUsedAt = key.lastUsedAt();
        this.expiresAt = key.expiresAt();
        this.revokedAt = key.revokedAt();
    }

    ApiKey toKey() {
        return new ApiKey(
                new KeyId(id),
                name,
                new TenantId(tenantId),
                Arrays.stream(projects).map(ProjectId::new).toList(),
                Role.valueOf(role),
                new SecretHash(secretHash),
                createdAt,
                lastUsedAt,
                expiresAt,
                revokedAt);
    }

    void revoke(Instant now) {
        if (revokedAt == null) {
            revokedAt = now;
        }
    }

    @Override
    public String getId() {
        return id;
    }

    /** Keys are saved when they are made and changed only while managed. */
    @Override
    public boolean isNew() {
        return true;
    }
}
