package io.muster.gateway.access;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;

@Entity
@Table(name = "tenant")
class TenantRow {

    @Id
    private String id;

    private Instant createdAt;

    protected TenantRow() {}

    String id() {
        return id;
    }

    Instant createdAt() {
        return createdAt;
    }
}
