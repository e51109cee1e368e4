package io.muster.local.running;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Who is kept from what, on the whole system: tenants from each other, services from each other's databases. */
class IsolationIT {

    private static final List<String> SERVICES =
            List.of("job", "quota", "scheduler", "health", "checkpoint", "gateway");
    private static final List<String> METHODS = List.of("get", "post", "put", "patch", "delete");

    private final RunningSystem system = RunningSystem.get();
    private String stranger = "";
    private String victim = "";

    @BeforeEach
    void twoTenants() {
        system.call(system.key("admin"), "POST", "/api/v1/tenants", Map.of("id", "stranger"));
        system.call(system.key("admin"), "POST", "/api/v1/projects", Map.of("tenant", "stranger", "id", "theirs"));
        RunningSystem.Answer key = system.call(
                system.key("admin"),
                "POST",
                "/api/v1/keys",
                Map.of("name", "stranger", "tenant", "stranger", "projects", List.of("theirs"), "role", "ENGINEER"));
        assertThat(key.status()).as(key.text()).isEqualTo(201);
        stranger = key.body().get("secret").stringValue();
        victim = system.submit(Map.of(
                "name", "secret plan " + System.nanoTime(),
                "runtime", Map.of("command", List.of("/bin/sh", "-c", "echo classified; sleep 20")),
                "resources", Map.of("nodes", 1, "gpusPerNode", 1)));
    }

    @Test
    void anotherTenantsJobCannotBeSeenOrTouchedByAnyDocumentedPath() {
        JsonNode document = system.get("/openapi.json");
        List<String> tried = new ArrayList<>();
        document.get("paths")
                .properties()
                .forEach(path -> METHODS.stream().filter(path.getValue()::has).forEach(method -> {
                    tried.add(method + " " + path.getKey());
                    tryAs(stranger, method, path.getKey());
                }));
        assertThat(tried)
                .hasSizeGreaterThan(20)
                .contains("post /api/v1/jobs/{id}/cancel", "get /api/v1/jobs/{id}/cost");
        assertThat(RunningSystem.state(system.get("/jobs/" + victim)))
                .isIn("QUEUED", "STARTING", "RUNNING", "SUCCEEDED");
        system.call(system.key("engineer"), "POST", "/api/v1/jobs/" + victim + "/cancel", null);
    }

    private void tryAs(String key, String method, String path) {
        String filled = path.replaceAll("\\{[^}]*}", victim);
        Object body = method.equals("get") ? null : Map.of();
        RunningSystem.Answer answer = system.call(key, method.toUpperCase(java.util.Locale.ROOT), filled, body);
        assertThat(answer.status())
                .as("%s %s: %s", method, filled, answer.text())
                .isLessThan(500);
        if (path.contains("{")) {
            assertThat(answer.status()).as("%s %s", method, filled).isIn(400, 403, 404, 405, 409, 422, 428);
        }
        assertThat(answer.text().replace("/jobs/" + victim, ""))
                .as("%s %s", method, filled)
                .doesNotContain("secret plan")
                .doesNotContain("classified");
    }

    @Test
    void theInternalAndActuatorPathsAreNotRouted() {
        for (String path : List.of(
                "/internal/join",
                "/internal/services/feasibility",
                "/internal/agents/r1-n1/desired",
                "/actuator",
                "/actuator/prometheus",
                "/actuator/health",
                "/v3/api-docs",
                "/api/v1/../../internal/join",
                "/api/v1/jobs/..%2f..%2f..%2factuator/prometheus",
                "/api/v1/%2e%2e/%2e%2e/actuator/prometheus",
                "/api/v1/jobs;/../../actuator/prometheus")) {
            RunningSystem.Answer answer = system.call(system.key("admin"), "GET", path, null);
            assertThat(answer.status()).as(path).isIn(400, 403, 404);
            assertThat(answer.text()).as(path).doesNotContain("muster_");
        }
    }

    @Test
    void forgedIdentitiesAreRefusedAtEveryDoor() {
        for (String service : SERVICES) {
            int port = port(service);
            for (Map<String, String> headers : List.of(
                    Map.<String, String>of(),
                    Map.of("Authorization", "Bearer " + system.key("admin").replace('m', 'n')),
                    Map.of("X-Muster-Tenant", "default", "X-Muster-Role", "ADMIN"),
                    Map.of("X-Forwarded-User", "admin"),
                    // alg none: {"alg":"none"}.{"iss":"muster-gateway","sub":"x","tenant":"default","role":"ADMIN"}
                    Map.of(
                            "Authorization",
                            "Bearer eyJhbGciOiJub25lIn0.eyJpc3MiOiJtdXN0ZXItZ2F0ZXdheSIsInN1YiI6IngiLCJ0ZW5hbnQiOiJkZWZhdWx0Iiwicm9sZSI6IkFETUlOIn0."))) {
                for (String path : List.of(
                        "/api/v1/jobs",
                        "/api/v1/nodes",
                        "/api/v1/quota/tree",
                        "/internal/agents/r1-n1/desired",
                        "/internal/services/placements")) {
                    RunningSystem.Answer answer = system.send("http://127.0.0.1:" + port + path, "GET", headers, null);
                    assertThat(answer.status())
                            .as("%s %s %s: %s", service, path, headers.keySet(), answer.text())
                            .isIn(401, 403, 404);
                }
            }
        }
    }

    @Test
    void aServicesRoleCannotEvenConnectToAnothersDatabase() throws SQLException {
        for (String role : SERVICES) {
            String password = system.databasePassword(role);
            try (var own = system.database("muster_" + role, "muster_" + role, password)) {
                assertThat(own.isValid(2)).isTrue();
            }
            for (String other : List.of("job", "quota", "scheduler", "health", "checkpoint", "gateway", "postgres")) {
                if (!other.equals(role)) {
                    String database = other.equals("postgres") ? other : "muster_" + other;
                    assertThatThrownBy(() -> system.database(database, "muster_" + role, password)
                                    .close())
                            .as("%s to %s", role, database)
                            .isInstanceOf(SQLException.class)
                            .hasMessageContaining("permission denied");
                }
            }
        }
    }

    @Test
    void noSecretIsInAnyLog() throws Exception {
        List<String> secrets = new ArrayList<>(List.of(system.key("admin"), system.key("engineer")));
        SERVICES.forEach(service -> secrets.add(system.databasePassword(service)));
        try (var logs = java.nio.file.Files.walk(system.home().resolve("log"))) {
            for (var log : logs.filter(java.nio.file.Files::isRegularFile).toList()) {
                String text = java.nio.file.Files.readString(log);
                assertThat(secrets).as(log.toString()).noneMatch(text::contains);
            }
        }
    }

    private int port(String service) {
        return switch (service) {
                    case "gateway" -> 8080;
                    case "job" -> 8081;
                    case "quota" -> 8082;
                    case "scheduler" -> 8083;
                    case "health" -> 8084;
                    case "checkpoint" -> 8085;
                    default -> throw new IllegalArgumentException(service);
                }
                + system.portOffset();
    }
}
