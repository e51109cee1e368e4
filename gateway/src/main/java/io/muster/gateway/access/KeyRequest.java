package io.muster.gateway.access;

import io.muster.contract.id.ProjectId;
import io.muster.contract.id.TenantId;
import io.muster.edge.identity.Role;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Asks for a new key. All fields are texts here, so that everything wrong can be said at once.
 *
 * @param projects missing or empty: every project of the tenant
 * @param expiresAt missing: never
 */
record KeyRequest(
        @Nullable String name,
        @Nullable String tenant,
        @Nullable List<String> projects,
        @Nullable String role,
        @Nullable String expiresAt) {

    private static final int MAX_NAME = 128;
    private static final int MAX_PROJECTS = 100;
    private static final String ROLES =
            Arrays.stream(Role.values()).map(Role::name).collect(Collectors.joining(", "));

    /** What a valid request says. */
    record Wish(
            String name,
            TenantId tenant,
            List<ProjectId> projects,
            Role role,
            @Nullable Instant expiresAt) {}

    Answer<Wish> check(Predicate<TenantId> tenants, BiPredicate<TenantId, ProjectId> projectsOfTenant, Instant now) {
        NamedRequest reading = new NamedRequest();
        String wantedName = checkName(reading);
        @Nullable TenantId wantedTenant = checkTenant(reading, tenants);
        Set<ProjectId> wantedProjects = checkProjects(reading, wantedTenant, projectsOfTenant);
        @Nullable Role wantedRole = checkRole(reading);
        @Nullable Instant end = checkEnd(reading, now);
        if (wantedTenant == null || wantedRole == null || !reading.violations().isEmpty()) {
            return new Answer.Refused<>(Refusals.invalid(reading.violations()));
        }
        return new Answer.Granted<>(new Wish(wantedName, wantedTenant, List.copyOf(wantedProjects), wantedRole, end));
    }

    private String checkName(NamedRequest reading) {
        if (name == null || name.isBlank()) {
            reading.wrong("/name", "is missing", name, "1 to " + MAX_NAME + " characters");
            return "";
        }
        if (name.length() > MAX_NAME || name.chars().anyMatch(Character::isISOControl)) {
            reading.wrong(
                    "/name",
                    "is too long or has control characters",
                    name,
                    "1 to " + MAX_NAME + " printable characters");
        }
        return name;
    }

    private @Nullable TenantId checkTenant(NamedRequest reading, Predicate<TenantId> tenants) {
        @Nullable TenantId wanted = reading.tenant("/tenant", tenant);
        if (wanted != null && !tenants.test(wanted)) {
            reading.wrong("/tenant", "does not exist", wanted.value(), "a tenant of GET /api/v1/tenants");
        }
        return wanted;
    }

    private Set<ProjectId> checkProjects(
            NamedRequest reading, @Nullable TenantId of, BiPredicate<TenantId, ProjectId> projectsOfTenant) {
        Set<ProjectId> wanted = new LinkedHashSet<>();
        List<String> texts = projects == null ? List.of() : projects;
        if (texts.size() > MAX_PROJECTS) {
            reading.wrong(
                    "/projects",
                    "has " + texts.size() + " entries",
                    null,
                    "at most " + MAX_PROJECTS + ", or none for all");
            return wanted;
        }
        for (int i = 0; i < texts.size(); i++) {
            String pointer = "/projects/" + i;
            @Nullable ProjectId project = reading.project(pointer, texts.get(i));
            if (project != null && of != null && !projectsOfTenant.test(of, project)) {
                reading.wrong(
                        pointer, "is no project of tenant " + of, project.value(), "a project of GET /api/v1/projects");
            }
            if (project != null) {
                wanted.add(project);
            }
        }
        return wanted;
    }

    private @Nullable Role checkRole(NamedRequest reading) {
        for (Role known : Role.values()) {
            if (known.name().equals(role)) {
                return known;
            }
        }
        reading.wrong("/role", role == null ? "is missing" : "is not a role", role, ROLES);
        return null;
    }

    private @Nullable Instant checkEnd(NamedRequest reading, Instant now) {
        if (expiresAt == null) {
            return null;
        }
        try {
            Instant end = Instant.parse(expiresAt);
            if (!end.isAfter(now)) {
                reading.wrong("/expiresAt", "is over already", expiresAt, "a time after " + now);
            }
            if (end.isAfter(now.plusSeconds(100L * 366 * 86_400))) {
                reading.wrong("/expiresAt", "is more than 100 years away", expiresAt, "a nearer time, or leave it out");
            }
            return end;
        } catch (DateTimeParseException e) {
            reading.wrong("/expiresAt", "is not a UTC time", expiresAt, "a time such as 2027-01-31T12:00:00Z");
            return null;
        }
    }
}
