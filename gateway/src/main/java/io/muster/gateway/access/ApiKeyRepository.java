package io.muster.gateway.access;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.springframework.data.domain.Limit;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;

interface ApiKeyRepository extends Repository<ApiKeyRow, String> {

    Optional<ApiKeyRow> findById(String id);

    boolean existsById(String id);

    ApiKeyRow save(ApiKeyRow row);

    List<ApiKeyRow> findByIdGreaterThanOrderById(String after, Limit limit);

    List<ApiKeyRow> findByTenantIdAndIdGreaterThanOrderById(String tenant, String after, Limit limit);

    /**
     * Locks every administrator's key, in one order, so that two administrators who revoke each other at the same time
     * cannot leave none.
     */
    @Query(
            nativeQuery = true,
            value = "select id from api_key where role = 'ADMIN' and revoked_at is null"
                    + " and (expires_at is null or expires_at > :now) order by id for update")
    List<String> lockLiveAdministrators(Instant now);

    /** Written at most once in ten minutes per key, so that reading does not become writing. */
    @Modifying
    @Query(
            nativeQuery = true,
            value =
                    "update api_key set last_used_at = :now where id = :id and (last_used_at is null or last_used_at < :before)")
    int used(String id, Instant now, Instant before);
}
