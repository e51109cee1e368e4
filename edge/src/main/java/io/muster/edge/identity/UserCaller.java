package io.muster.edge.identity;

import io.muster.contract.id.ProjectId;
import io.muster.contract.id.TenantId;
import java.util.List;

/**
 * A person or a program with an API key.
 *
 * @param projects the projects the key is limited to; empty means all of the tenant
 */
public record UserCaller(TenantId tenant, List<ProjectId> projects, Role role, String keyId) implements Caller {

    public UserCaller {
        projects = List.copyOf(projects);
    }

    public boolean seesAllTenants() {
        return switch (role) {
            case SRE, ADMIN -> true;
            case VIEWER, ENGINEER -> false;
        };
    }

    /** Is this project of the caller's tenant within what the key is limited to? */
    public boolean mayUse(ProjectId project) {
        return projects.isEmpty() || projects.contains(project);
    }

    /** May submit and cancel jobs in the projects it {@linkplain #mayUse may use}. */
    public boolean maySubmit() {
        return switch (role) {
            case ENGINEER, ADMIN -> true;
            case VIEWER, SRE -> false;
        };
    }

    /** May change quota, tenants, projects and keys. */
    public boolean mayAdminister() {
        return role == Role.ADMIN;
    }

    /** May change nodes and holds. */
    public boolean mayOperateNodes() {
        return switch (role) {
            case SRE, ADMIN -> true;
            case VIEWER, ENGINEER -> false;
        };
    }
}
