package io.muster.scheduler;

import static org.awaitility.Awaitility.await;

import io.muster.contract.id.JobId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.TenantId;
import io.muster.contract.job.JobPhase;
import io.muster.contract.placement.PlacementState;
import io.muster.edge.identity.IdentityKeys;
import io.muster.edge.identity.Role;
import io.muster.edge.identity.ServiceTokens;
import io.muster.edge.identity.UserCaller;
import io.muster.edge.identity.UserTokens;
import io.muster.testing.TestBroker;
import io.muster.testing.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One instance of scheduler-service on a test database and the test broker. */
final class RunningScheduler implements AutoCloseable {

    private final ConfigurableApplicationContext context;
    private final Path keys;
    private final HttpClient http = HttpClient.newHttpClient();
    private final JsonMapper json = JsonMapper.builder().build();

    private RunningScheduler(ConfigurableApplicationContext context, Path keys) {
        this.context = context;
        this.keys = keys;
    }

    /** Instances on one database are instances of one service: they share its consumer groups. */
    static RunningScheduler start(TestDatabase database, Path keys, String... settings) {
        IdentityKeys.createMissing(keys);
        List<String> arguments = new ArrayList<>(List.of(
                "--server.port=0",
                "--spring.datasource.url=" + database.url(),
                "--spring.datasource.username=" + database.user(),
                "--spring.datasource.password=" + database.password(),
                "--spring.kafka.bootstrap-servers=" + TestBroker.bootstrapServers(),
                "--muster.messaging.service=scheduler-" + database.name().replace('_', '-'),
                "--muster.identity.gateway-public-key=" + keys.resolve(IdentityKeys.GATEWAY_PUBLIC),
                "--muster.identity.node-public-key=" + keys.resolve(IdentityKeys.NODE_PUBLIC),
                "--muster.identity.service-secret=" + keys.resolve(IdentityKeys.SERVICE_SECRET)));
        arguments.addAll(List.of(settings));
        return new RunningScheduler(
                SchedulerServiceApplication.application().run(arguments.toArray(String[]::new)), keys);
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    JdbcClient sql() {
        return bean(JdbcClient.class);
    }

    record Answer(int status, JsonNode body) {}

    Answer asUser(TenantId tenant, Role role, String path) {
        var caller = new UserCaller(tenant, List.<ProjectId>of(), role, "key_test");
        return get(path, new UserTokens(keys.resolve(IdentityKeys.GATEWAY_PRIVATE), Clock.systemUTC()).issue(caller));
    }

    Answer asService(String path) {
        return get(path, serviceToken());
    }

    Answer asService(String path, Object body) {
        return call(request(path, serviceToken())
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(json.writeValueAsString(body))));
    }

    Answer asNobody(String path) {
        return call(HttpRequest.newBuilder(uri(path)));
    }

    String text(String path) {
        return send(HttpRequest.newBuilder(uri(path))).body();
    }

    <T> T read(JsonNode node, Class<T> type) {
        return json.treeToValue(node, type);
    }

    /** Events of different keys arrive in any order: tests that need the whole cluster wait for it. */
    void awaitGpus(int total) {
        await().until(() -> asUser(Given.ACME, Role.VIEWER, "/api/v1/cluster/capacity")
                        .body()
                        .path("models")
                        .path(0)
                        .path("total")
                        .asInt(0)
                == total);
    }

    /** Topics are not ordered between each other: a test whose next event must find this one waits for it. */
    void awaitPhase(JobId job, JobPhase phase) {
        await().until(() -> sql().sql("SELECT state ->> 'phase' FROM job_projection WHERE job_id = :job")
                .param("job", job.value())
                .query(String.class)
                .optional()
                .filter(phase.name()::equals)
                .isPresent());
    }

    List<PlacementState> repairList() {
        List<PlacementState> all = new ArrayList<>();
        asService("/internal/services/placements?after=0&limit=1000")
                .body()
                .forEach(entry -> all.add(read(entry.get("placement"), PlacementState.class)));
        return all;
    }

    private String serviceToken() {
        return new ServiceTokens(keys.resolve(IdentityKeys.SERVICE_SECRET), "job", Clock.systemUTC())
                .bearerFor("scheduler");
    }

    private Answer get(String path, String token) {
        return call(request(path, token));
    }

    private HttpRequest.Builder request(String path, String token) {
        return HttpRequest.newBuilder(uri(path)).header("Authorization", "Bearer " + token);
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port") + path);
    }

    private Answer call(HttpRequest.Builder request) {
        HttpResponse<String> response = send(request);
        return new Answer(response.statusCode(), json.readTree(response.body().isEmpty() ? "null" : response.body()));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return http.send(request.build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new IllegalStateException("scheduler-service did not answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    @Override
    public void close() {
        context.close();
    }
}
