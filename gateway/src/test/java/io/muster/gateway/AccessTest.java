package io.muster.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.gateway.access.ApiKeySecret;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Tenants, projects and keys: what each role may, and what becomes of a key. */
final class AccessTest {

    @TempDir
    static Path folder;

    private static RunningGateway gateway;

    @BeforeAll
    static void start() {
        gateway = new RunningGateway(
                folder, Map.of("resilience4j.ratelimiter.configs.tenant.limit-for-period", "100000"));
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @Test
    void whoamiSaysWhatTheKeyMay() {
        JsonNode admin = RunningGateway.json(gateway.get("/api/v1/whoami", gateway.admin));
        assertThat(admin.path("role").asString()).isEqualTo("ADMIN");
        assertThat(admin.path("tenant").asString()).isEqualTo("default");
        assertThat(admin.path("keyId").asString()).isEqualTo(RunningGateway.idOf(gateway.admin));
        String engineer = gateway.newKey("acme", "ENGINEER", "[\"llm\"]");
        JsonNode who = RunningGateway.json(gateway.get("/api/v1/whoami", engineer));
        assertThat(who.path("projects").toString()).isEqualTo("[\"llm\"]");
        assertThat(who.path("may").toString()).isEqualTo("[\"read\",\"submit\"]");
        HttpRequest.Builder header = gateway.request("/api/v1/whoami", null).header("X-API-Key", engineer);
        assertThat(gateway.send(header).statusCode()).isEqualTo(200);
    }

    @Test
    void onlyAnAdministratorChangesAnything() {
        for (String role : List.of("VIEWER", "ENGINEER", "SRE")) {
            String key = gateway.newKey("acme", role, "[]");
            assertThat(gateway.get("/api/v1/keys", key).statusCode()).as(role).isEqualTo(403);
            assertThat(gateway.post("/api/v1/keys", key, "{}").statusCode())
                    .as(role)
                    .isEqualTo(403);
            assertThat(gateway.delete("/api/v1/keys/" + RunningGateway.idOf(key), key)
                            .statusCode())
                    .as(role)
                    .isEqualTo(403);
            assertThat(gateway.post("/api/v1/tenants", key, "{\"id\":\"mine\"}").statusCode())
                    .as(role)
                    .isEqualTo(403);
            assertThat(gateway.post("/api/v1/projects", key, "{\"id\":\"mine\"}")
                            .statusCode())
                    .as(role)
                    .isEqualTo(403);
        }
    }

    @Test
    void anotherTenantIsNotSeen() {
        String engineer = gateway.newKey("acme", "ENGINEER", "[]");
        assertThat(ids(gateway.get("/api/v1/tenants", engineer))).containsExactly("acme");
        assertThat(ids(gateway.get("/api/v1/projects", engineer))).containsExactly("llm", "vision");
        assertThat(ids(gateway.get("/api/v1/projects?tenant=default", engineer)))
                .isEmpty();
        assertThat(gateway.get("/api/v1/projects?tenant=default", engineer).body())
                .isEqualTo(
                        gateway.get("/api/v1/projects?tenant=nobody", engineer).body());
        assertThat(ids(gateway.get("/api/v1/tenants", gateway.newKey("acme", "SRE", "[]"))))
                .contains("acme", "default");
        assertThat(ids(gateway.get("/api/v1/projects?tenant=acme", gateway.admin)))
                .containsExactly("llm", "vision");
    }

    @Test
    void tenantsAndProjectsAreAddedOnce() {
        assertThat(gateway.post("/api/v1/tenants", gateway.admin, "{\"id\":\"beta\"}")
                        .statusCode())
                .isEqualTo(201);
        assertThat(gateway.post("/api/v1/tenants", gateway.admin, "{\"id\":\"beta\"}")
                        .statusCode())
                .isEqualTo(409);
        String project = "{\"tenant\":\"beta\",\"id\":\"llm\"}";
        assertThat(gateway.post("/api/v1/projects", gateway.admin, project).statusCode())
                .isEqualTo(201);
        assertThat(gateway.post("/api/v1/projects", gateway.admin, project).statusCode())
                .isEqualTo(409);
        HttpResponse<String> wrong =
                gateway.post("/api/v1/projects", gateway.admin, "{\"tenant\":\"none\",\"id\":\"A B\"}");
        assertThat(wrong.statusCode()).isEqualTo(400);
        assertThat(pointers(wrong)).containsExactlyInAnyOrder("/tenant", "/id");
    }

    @Test
    void everythingWrongWithANewKeyIsSaidAtOnce() {
        HttpResponse<String> answer = gateway.post(
                "/api/v1/keys",
                gateway.admin,
                "{\"name\":\" \",\"tenant\":\"acme\",\"projects\":[\"llm\",\"nope\",\"../x\"],\"role\":\"ROOT\",\"expiresAt\":\"2001-01-01T00:00:00Z\"}");
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(pointers(answer))
                .containsExactlyInAnyOrder("/name", "/projects/1", "/projects/2", "/role", "/expiresAt");
        assertThat(answer.body()).contains("VIEWER, ENGINEER, SRE, ADMIN");
        assertThat(pointers(gateway.post("/api/v1/keys", gateway.admin, "{}")))
                .containsExactlyInAnyOrder("/name", "/tenant", "/role");
        assertThat(gateway.post("/api/v1/keys", gateway.admin, "{\"nam\":\"x\"}")
                        .body())
                .contains("Did you mean 'name'?");
        assertThat(gateway.post("/api/v1/keys", gateway.admin, " ".repeat(70_000))
                        .statusCode())
                .isEqualTo(413);
    }

    @Test
    void aSecretIsShownOnceAndNeverStored() throws SQLException {
        HttpResponse<String> made =
                gateway.post("/api/v1/keys", gateway.admin, "{\"name\":\"n\",\"tenant\":\"acme\",\"role\":\"VIEWER\"}");
        assertThat(made.statusCode()).isEqualTo(201);
        String secret = RunningGateway.json(made).path("secret").asString();
        String id = RunningGateway.idOf(secret);
        assertThat(made.headers().firstValue("Location")).contains("/api/v1/keys/" + id);
        String random = secret.substring(secret.lastIndexOf('_') + 1);
        assertThat(gateway.get("/api/v1/keys?pageSize=500", gateway.admin).body())
                .contains(id)
                .doesNotContain(random);
        try (var connection = DriverManager.getConnection(
                        gateway.database.url(), gateway.database.user(), gateway.database.password());
                ResultSet rows = connection.createStatement().executeQuery("select api_key::text from api_key")) {
            while (rows.next()) {
                assertThat(rows.getString(1)).doesNotContain(random);
            }
        }
    }

    @Test
    void aRevokedKeyIsRefusedAtOnceHereAndWithinFiveSecondsElsewhere() {
        String key = gateway.newKey("acme", "VIEWER", "[]");
        String path = "/api/v1/keys/" + RunningGateway.idOf(key);
        try (var other = gateway.start(Map.of())) {
            int port = other.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
            HttpRequest elsewhere = HttpRequest.newBuilder(
                            java.net.URI.create("http://127.0.0.1:" + port + "/api/v1/whoami"))
                    .header("Authorization", "Bearer " + key)
                    .build();
            assertThat(gateway.get("/api/v1/whoami", key).statusCode()).isEqualTo(200);
            assertThat(gateway.send(elsewhere, HttpResponse.BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(200);
            assertThat(gateway.delete(path, gateway.admin).statusCode()).isEqualTo(204);
            HttpResponse<String> refused = gateway.get("/api/v1/whoami", key);
            assertThat(refused.statusCode()).isEqualTo(401);
            assertThat(refused.body()).contains("was revoked at");
            Awaitility.await()
                    .atMost(Duration.ofSeconds(5))
                    .untilAsserted(() -> assertThat(gateway.send(elsewhere, HttpResponse.BodyHandlers.ofString())
                                    .statusCode())
                            .isEqualTo(401));
        }
        assertThat(gateway.delete(path, gateway.admin).statusCode()).as("again").isEqualTo(204);
        assertThat(gateway.delete("/api/v1/keys/key_00000000unknown", gateway.admin)
                        .statusCode())
                .isEqualTo(404);
    }

    @Test
    void anExpiredKeyIsRefused() throws SQLException {
        String key = gateway.newKey("acme", "VIEWER", "[]");
        try (var connection = DriverManager.getConnection(
                gateway.database.url(), gateway.database.user(), gateway.database.password())) {
            try (var update = connection.prepareStatement("update api_key set expires_at = now() where id = ?")) {
                update.setString(1, RunningGateway.idOf(key));
                assertThat(update.executeUpdate()).isEqualTo(1);
            }
        }
        HttpResponse<String> refused = gateway.get("/api/v1/whoami", key);
        assertThat(refused.statusCode()).isEqualTo(401);
        assertThat(refused.body()).contains("expired at");
    }

    @Test
    void theLastAdministratorCannotBeRevokedNotEvenByTwoAtOnce() throws Exception {
        assertThat(gateway.delete("/api/v1/keys/" + RunningGateway.idOf(gateway.admin), gateway.admin)
                        .statusCode())
                .isEqualTo(409);
        for (int round = 0; round < 5; round++) {
            String second = gateway.newKey("default", "ADMIN", "[]");
            String third = gateway.newKey("default", "ADMIN", "[]");
            List<String> all = List.of(gateway.admin, second, third);
            List<Callable<Integer>> revoking = new ArrayList<>();
            // each of the two others is revoked by both; the bootstrap key is what must be left
            for (String victim : List.of(second, third)) {
                for (String by : List.of(second, third)) {
                    revoking.add(() -> gateway.delete("/api/v1/keys/" + RunningGateway.idOf(victim), by)
                            .statusCode());
                }
            }
            try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                for (Future<Integer> done : threads.invokeAll(revoking)) {
                    assertThat(done.get()).isIn(204, 401);
                }
            }
            assertThat(all)
                    .anySatisfy(
                            key -> assertThat(gateway.get("/api/v1/whoami", key).statusCode())
                                    .isEqualTo(200));
        }
        assertThat(gateway.delete("/api/v1/keys/" + RunningGateway.idOf(gateway.admin), gateway.admin)
                        .statusCode())
                .isEqualTo(409);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "mk_",
                "nonsense",
                "mk_0123456789_",
                "Basic abc",
                "key_0123456789",
                "mk_01k9x3v7q2m4n8p6r0s1t5w9ya_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"
            })
    void whatIsNoKeyIsRefusedAlike(String key) {
        HttpResponse<String> answer =
                gateway.send(gateway.request("/api/v1/whoami", null).header("X-API-Key", key));
        assertThat(answer.statusCode()).isEqualTo(401);
        assertThat(answer.headers().firstValue("Content-Type").orElse("")).startsWith("application/problem+json");
        assertThat(answer.headers().firstValue("WWW-Authenticate")).contains("Bearer");
    }

    @Test
    void theRightIdWithAnotherSecretIsUnknown() {
        String real = gateway.newKey("acme", "VIEWER", "[]");
        String random = ApiKeySecret.generate().value();
        String forged = real.substring(0, real.lastIndexOf('_')) + random.substring(random.lastIndexOf('_'));
        HttpResponse<String> answer = gateway.get("/api/v1/whoami", forged);
        assertThat(answer.statusCode()).isEqualTo(401);
        assertThat(answer.body()).contains("not known").doesNotContain(RunningGateway.idOf(real));
    }

    @Test
    void aUserTokenOfOursIsNoKeyAtTheDoor() {
        gateway.get("/api/v1/jobs", gateway.admin);
        String token = gateway.service("job")
                .asked
                .getLast()
                .headers()
                .getFirst("Authorization")
                .substring(7);
        assertThat(token).startsWith("ey");
        assertThat(gateway.get("/api/v1/whoami", token).statusCode()).isEqualTo(401);
        HttpRequest.Builder two = gateway.request("/api/v1/whoami", token).header("X-API-Key", gateway.admin);
        assertThat(gateway.send(two).statusCode()).as("two keys").isEqualTo(401);
    }

    @Test
    void lastUseIsNotedCoarsely() {
        String key = gateway.newKey("acme", "VIEWER", "[]");
        assertThat(keyRow(key).path("lastUsedAt").isNull()).isTrue();
        gateway.get("/api/v1/whoami", key);
        String first = keyRow(key).path("lastUsedAt").asString();
        assertThat(first).isNotEmpty();
        gateway.get("/api/v1/whoami", key);
        assertThat(keyRow(key).path("lastUsedAt").asString()).isEqualTo(first);
    }

    @Test
    void listsComeInPages() {
        gateway.newKey("acme", "VIEWER", "[]");
        gateway.newKey("acme", "VIEWER", "[]");
        List<String> paged = new ArrayList<>();
        String token = "";
        do {
            JsonNode page = RunningGateway.json(gateway.get("/api/v1/keys?pageSize=2" + token, gateway.admin));
            page.path("items").forEach(item -> paged.add(item.path("id").asString()));
            token = page.path("nextPageToken").isNull()
                    ? ""
                    : "&pageToken=" + page.path("nextPageToken").asString();
        } while (!token.isEmpty());
        assertThat(paged).isSorted().doesNotHaveDuplicates();
        assertThat(paged)
                .hasSizeGreaterThanOrEqualTo(3)
                .isEqualTo(ids(gateway.get("/api/v1/keys?pageSize=500", gateway.admin)));
        assertThat(gateway.get("/api/v1/keys?pageSize=501", gateway.admin).statusCode())
                .isEqualTo(400);
        assertThat(gateway.get("/api/v1/keys?pageToken=x", gateway.admin).statusCode())
                .isEqualTo(400);
    }

    @Test
    void theBootstrapFileIsAppliedAgainWithoutHarm() {
        String revoked = gateway.newKey("acme", "VIEWER", "[]");
        gateway.delete("/api/v1/keys/" + RunningGateway.idOf(revoked), gateway.admin);
        String added = ApiKeySecret.generate().value();
        gateway.writeBootstrap("""
                {"tenants":[{"id":"default","projects":["default"]},{"id":"gamma","projects":["x"]}],
                 "keys":[{"name":"admin","tenant":"default","projects":[],"role":"ADMIN","secret":"%s"},
                         {"name":"old","tenant":"acme","projects":[],"role":"ADMIN","secret":"%s"},
                         {"name":"new","tenant":"gamma","projects":["x"],"role":"ENGINEER","secret":"%s"}]}
                """.formatted(gateway.admin, revoked, added));
        gateway.restart(Map.of("resilience4j.ratelimiter.configs.tenant.limit-for-period", "100000"));
        assertThat(gateway.get("/api/v1/whoami", gateway.admin).statusCode()).isEqualTo(200);
        assertThat(gateway.get("/api/v1/whoami", revoked).statusCode())
                .as("stays revoked")
                .isEqualTo(401);
        assertThat(RunningGateway.json(gateway.get("/api/v1/whoami", added))
                        .path("tenant")
                        .asString())
                .isEqualTo("gamma");
    }

    @Test
    void aKeyOfATenantThatIsNotThereStopsTheStart() {
        gateway.writeBootstrap(
                "{\"tenants\":[],\"keys\":[{\"name\":\"n\",\"tenant\":\"nobody\",\"role\":\"ADMIN\",\"secret\":\""
                        + ApiKeySecret.generate().value() + "\"}]}");
        assertThatThrownBy(() -> gateway.start(Map.of()).close())
                .hasStackTraceContaining("is its tenant 'nobody' among the tenants?");
        gateway.writeBootstrap(gateway.usualBootstrap());
    }

    private static JsonNode keyRow(String secret) {
        for (JsonNode item : RunningGateway.json(gateway.get("/api/v1/keys?pageSize=500", gateway.admin))
                .path("items")) {
            if (item.path("id").asString().equals(RunningGateway.idOf(secret))) {
                return item;
            }
        }
        throw new AssertionError("no key " + RunningGateway.idOf(secret));
    }

    private static List<String> ids(HttpResponse<String> page) {
        List<String> ids = new ArrayList<>();
        RunningGateway.json(page)
                .path("items")
                .forEach(item -> ids.add(item.path("id").asString()));
        return ids;
    }

    private static List<String> pointers(HttpResponse<String> problem) {
        List<String> pointers = new ArrayList<>();
        RunningGateway.json(problem)
                .path("violations")
                .forEach(item -> pointers.add(item.path("pointer").asString()));
        return pointers;
    }
}
