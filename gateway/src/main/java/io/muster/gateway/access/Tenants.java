package io.muster.gateway.access;

import io.muster.contract.id.ProjectId;
import io.muster.contract.id.TenantId;
import io.muster.edge.identity.UserCaller;
import io.muster.edge.page.Page;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.domain.Limit;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Tenants and their projects. Everybody sees the own tenant, administrators and SREs see all; only administrators add.
 * Nothing is ever removed: jobs, bills and checkpoints name them for good.
 */
@Service
class Tenants {

    private static final Logger log = LoggerFactory.getLogger(Tenants.class);

    private final TenantRepository tenants;
    private final ProjectRepository projects;
    private final Clock clock;

    Tenants(TenantRepository tenants, ProjectRepository projects, Clock clock) {
        this.tenants = tenants;
        this.projects = projects;
        this.clock = clock;
    }

    record TenantView(TenantId id, Instant createdAt) {}

    record ProjectView(TenantId tenant, ProjectId id, Instant createdAt) {}

    record TenantRequest(@Nullable String id) {}

    /** @param tenant missing: the caller's own */
    record ProjectRequest(@Nullable String tenant, @Nullable String id) {}

    @Transactional(readOnly = true)
    Page<TenantView> tenants(UserCaller caller, PageWish wish) {
        Limit limit = Limit.of(wish.size() + 1);
        List<TenantRow> rows = caller.seesAllTenants()
                ? tenants.findByIdGreaterThanOrderById(wish.after(), limit)
                : tenants.findByIdAndIdGreaterThanOrderById(caller.tenant().value(), wish.after(), limit);
        return wish.page(
                rows.stream()
                        .map(row -> new TenantView(new TenantId(row.id()), row.createdAt()))
                        .toList(),
                view -> view.id().value());
    }

    /** Another tenant's projects look like those of a tenant that does not exist: none. */
    @Transactional(readOnly = true)
    Page<ProjectView> projects(UserCaller caller, @Nullable TenantId of, PageWish wish) {
        TenantId tenant = of == null ? caller.tenant() : of;
        if (!caller.seesAllTenants() && !tenant.equals(caller.tenant())) {
            return new Page<>(List.of(), null);
        }
        return wish.page(
                projects.page(tenant.value(), wish.after(), Limit.of(wish.size() + 1)).stream()
                        .map(row -> new ProjectView(tenant, new ProjectId(row.id()), row.createdAt()))
                        .toList(),
                view -> view.id().value());
    }

    @Transactional
    Answer<TenantView> addTenant(UserCaller caller, TenantRequest request) {
        if (!caller.mayAdminister()) {
            return new Answer.Refused<>(Refusals.administratorsOnly(caller, "add tenants"));
        }
        NamedRequest reading = new NamedRequest();
        @Nullable TenantId id = reading.tenant("/id", request.id());
        if (id == null) {
            return new Answer.Refused<>(Refusals.invalid(reading.violations()));
        }
        Instant now = clock.instant().truncatedTo(ChronoUnit.MICROS);
        if (tenants.addIfMissing(id.value(), now) == 0) {
            return new Answer.Refused<>(Refusals.taken("Tenant '" + id + "'"));
        }
        log.info("tenant added tenant={} by={}", id, caller.keyId());
        return new Answer.Granted<>(new TenantView(id, now));
    }

    @Transactional
    Answer<ProjectView> addProject(UserCaller caller, ProjectRequest request) {
        if (!caller.mayAdminister()) {
            return new Answer.Refused<>(Refusals.administratorsOnly(caller, "add projects"));
        }
        NamedRequest reading = new NamedRequest();
        @Nullable
        TenantId tenant = request.tenant() == null ? caller.tenant() : reading.tenant("/tenant", request.tenant());
        @Nullable ProjectId id = reading.project("/id", request.id());
        if (tenant != null && !tenants.existsById(tenant.value())) {
            reading.wrong("/tenant", "does not exist", tenant.value(), "a tenant of GET /api/v1/tenants");
        }
        if (tenant == null || id == null || !reading.violations().isEmpty()) {
            return new Answer.Refused<>(Refusals.invalid(reading.violations()));
        }
        Instant now = clock.instant().truncatedTo(ChronoUnit.MICROS);
        if (projects.addIfMissing(tenant.value(), id.value(), now) == 0) {
            return new Answer.Refused<>(Refusals.taken("Project '" + id + "' of tenant '" + tenant + "'"));
        }
        log.info("project added tenant={} project={} by={}", tenant, id, caller.keyId());
        return new Answer.Granted<>(new ProjectView(tenant, id, now));
    }
}
