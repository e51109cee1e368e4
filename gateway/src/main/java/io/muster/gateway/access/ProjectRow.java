package io.muster.gateway.access;

import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Table;
import java.time.Instant;

@Entity
@Table(name = "project")
class ProjectRow {

    @EmbeddedId
    private Key key;

    private Instant createdAt;

    protected ProjectRow() {}

    String tenantId() {
        return key.tenantId();
    }

    String id() {
        return key.id();
    }

    Instant createdAt() {
        return createdAt;
    }

    @Embeddable
    record Key(String tenantId, String id) {}
}
