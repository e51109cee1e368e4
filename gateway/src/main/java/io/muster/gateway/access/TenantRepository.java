package io.muster.gateway.access;

import java.time.Instant;
import java.util.List;
import org.springframework.data.domain.Limit;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;

interface TenantRepository extends Repository<TenantRow, String> {

    boolean existsById(String id);

    List<TenantRow> findByIdGreaterThanOrderById(String after, Limit limit);

    List<TenantRow> findByIdAndIdGreaterThanOrderById(String id, String after, Limit limit);

    /** One statement, because two gateways that start together both bring the same tenants. */
    @Modifying
    @Query(nativeQuery = true, value = "insert into tenant (id, created_at) values (:id, :now) on conflict do nothing")
    int addIfMissing(String id, Instant now);
}
