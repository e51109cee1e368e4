package io.muster.gateway.access;

import java.time.Instant;
import java.util.List;
import org.springframework.data.domain.Limit;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;

interface ProjectRepository extends Repository<ProjectRow, ProjectRow.Key> {

    boolean existsById(ProjectRow.Key key);

    @Query("select p from ProjectRow p where p.key.tenantId = :tenant and p.key.id > :after order by p.key.id")
    List<ProjectRow> page(String tenant, String after, Limit limit);

    /** One statement, because two gateways that start together both bring the same projects. */
    @Modifying
    @Query(
            nativeQuery = true,
            value =
                    "insert into project (tenant_id, id, created_at) values (:tenant, :id, :now) on conflict do nothing")
    int addIfMissing(String tenant, String id, Instant now);
}
