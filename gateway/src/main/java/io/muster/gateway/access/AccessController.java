package io.muster.gateway.access;

import io.muster.contract.id.ProjectId;
import io.muster.contract.id.TenantId;
import io.muster.edge.identity.Role;
import io.muster.edge.identity.UserCaller;
import io.muster.edge.page.Page;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.net.URI;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/v1")
class AccessController {

    private final Tenants tenants;
    private final ApiKeys keys;

    AccessController(Tenants tenants, ApiKeys keys) {
        this.tenants = tenants;
        this.keys = keys;
    }

    record WhoAmI(String keyId, TenantId tenant, List<ProjectId> projects, Role role, List<String> may) {}

    @Operation(summary = "Whose key this is, and what it may do")
    @GetMapping("/whoami")
    WhoAmI whoami(UserCaller caller) {
        return new WhoAmI(caller.keyId(), caller.tenant(), caller.projects(), caller.role(), may(caller));
    }

    @Operation(summary = "Tenants the caller sees")
    @GetMapping("/tenants")
    Page<Tenants.TenantView> tenants(
            UserCaller caller, @RequestParam @Nullable String pageToken, @RequestParam @Nullable Integer pageSize) {
        return tenants.tenants(caller, PageWish.of(pageToken, pageSize));
    }

    @Operation(summary = "Add a tenant (ADMIN)")
    @ApiResponse(responseCode = "201", content = @Content(schema = @Schema(implementation = Tenants.TenantView.class)))
    @PostMapping("/tenants")
    ResponseEntity<?> addTenant(UserCaller caller, @RequestBody Tenants.TenantRequest request) {
        return tenants.addTenant(caller, request)
                .toResponse(tenant -> ResponseEntity.status(201).body(tenant));
    }

    @Operation(summary = "Projects of a tenant, the caller's own by default")
    @GetMapping("/projects")
    Page<Tenants.ProjectView> projects(
            UserCaller caller,
            @RequestParam @Nullable TenantId tenant,
            @RequestParam @Nullable String pageToken,
            @RequestParam @Nullable Integer pageSize) {
        return tenants.projects(caller, tenant, PageWish.of(pageToken, pageSize));
    }

    @Operation(summary = "Add a project to a tenant (ADMIN)")
    @ApiResponse(responseCode = "201", content = @Content(schema = @Schema(implementation = Tenants.ProjectView.class)))
    @PostMapping("/projects")
    ResponseEntity<?> addProject(UserCaller caller, @RequestBody Tenants.ProjectRequest request) {
        return tenants.addProject(caller, request)
                .toResponse(project -> ResponseEntity.status(201).body(project));
    }

    @Operation(summary = "API keys (ADMIN); a secret is never shown here")
    @ApiResponse(responseCode = "200", content = @Content(schema = @Schema(implementation = KeyPage.class)))
    @GetMapping("/keys")
    ResponseEntity<?> keys(
            UserCaller caller,
            @RequestParam @Nullable TenantId tenant,
            @RequestParam @Nullable String pageToken,
            @RequestParam @Nullable Integer pageSize) {
        return keys.list(caller, tenant, PageWish.of(pageToken, pageSize)).toResponse(ResponseEntity::ok);
    }

    @Operation(summary = "Create an API key (ADMIN); the secret is only in this answer")
    @ApiResponse(responseCode = "201", content = @Content(schema = @Schema(implementation = CreatedKey.class)))
    @PostMapping("/keys")
    ResponseEntity<?> createKey(UserCaller caller, @RequestBody KeyRequest request) {
        return keys.create(caller, request)
                .toResponse(created -> ResponseEntity.created(
                                URI.create("/api/v1/keys/" + created.key().id()))
                        .body(created));
    }

    @Operation(summary = "Revoke an API key (ADMIN); effective everywhere within 5 s")
    @ApiResponse(responseCode = "204", content = @Content)
    @DeleteMapping("/keys/{id}")
    ResponseEntity<?> revokeKey(UserCaller caller, @PathVariable KeyId id) {
        return keys.revoke(caller, id)
                .toResponse(revoked -> ResponseEntity.noContent().build());
    }

    /** The form of a page of keys, for the API document. */
    record KeyPage(List<KeyView> items, @Nullable String nextPageToken) {}

    private static List<String> may(UserCaller caller) {
        return Stream.of(
                        "read",
                        caller.maySubmit() ? "submit" : "",
                        caller.mayOperateNodes() ? "operateNodes" : "",
                        caller.mayAdminister() ? "administer" : "")
                .filter(right -> !right.isEmpty())
                .toList();
    }
}
