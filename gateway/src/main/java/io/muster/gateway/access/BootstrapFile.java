package io.muster.gateway.access;

import io.muster.contract.id.ProjectId;
import io.muster.contract.id.TenantId;
import io.muster.edge.identity.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * What must exist after a start, as the launcher writes it. A file that others can read is refused, because it holds
 * secrets; no message quotes one.
 */
record BootstrapFile(List<PlannedTenant> tenants, List<PlannedKey> keys) {

    private static final Set<PosixFilePermission> OWNERS = EnumSet.of(
            PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE);

    record PlannedTenant(TenantId id, @Nullable List<ProjectId> projects) {}

    record PlannedKey(
            String name, TenantId tenant, @Nullable List<ProjectId> projects, Role role, String secret) {

        ApiKeySecret parsed() {
            return ApiKeySecret.parse(secret)
                    .orElseThrow(() -> new IllegalArgumentException(
                            "the secret of key '" + name + "' is not one that ApiKeySecret.generate() made"));
        }

        @Override
        public String toString() {
            return "PlannedKey[" + name + "]";
        }
    }

    static BootstrapFile read(Path file, JsonMapper json) {
        try {
            if (!OWNERS.containsAll(Files.getPosixFilePermissions(file))) {
                throw refused(file, "holds secrets and others can read it; run: chmod 600 " + file);
            }
            BootstrapFile plan = json.readValue(Files.readAllBytes(file), BootstrapFile.class);
            plan.keys.forEach(PlannedKey::parsed);
            return plan;
        } catch (IOException e) {
            throw new IllegalStateException("cannot read muster.gateway.bootstrap-file " + file, e);
        } catch (IllegalArgumentException e) {
            throw refused(file, e.getMessage());
        } catch (JacksonException | NullPointerException e) {
            // without the cause: its message may quote the file
            throw refused(
                    file,
                    "is not of the form {\"tenants\":[{\"id\":…,\"projects\":[…]}],\"keys\":[{\"name\":…,\"tenant\":…,"
                            + "\"projects\":[…],\"role\":\"ADMIN\",\"secret\":\"mk_…\"}]}");
        }
    }

    private static IllegalStateException refused(Path file, @Nullable String why) {
        return new IllegalStateException("muster.gateway.bootstrap-file " + file + ": " + why);
    }
}
