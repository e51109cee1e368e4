package io.muster.health;

import io.muster.contract.Topics;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.TenantId;
import io.muster.contract.node.Fitness;
import io.muster.contract.node.PreflightVerdict;
import io.muster.edge.identity.IdentityKeys;
import io.muster.edge.identity.NodeTokens;
import io.muster.edge.identity.Role;
import io.muster.edge.identity.ServiceTokens;
import io.muster.edge.identity.UserCaller;
import io.muster.edge.identity.UserTokens;
import io.muster.testing.TestBroker;
import io.muster.testing.TestInfrastructure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One instance of health-service on the test database and broker, and how people, agents and services call it. */
public final class RunningService implements AutoCloseable {

    /** An answer: its status, its JSON, its headers. */
    public record Answer(int status, JsonNode body, HttpHeaders headers) {

        public String code() {
            return body.path("code").asString("");
        }
    }

    public static final JsonMapper JSON = JsonMapper.builder().build();

    private final HttpClient http = HttpClient.newHttpClient();
    private final Path keys;
    private final ConfigurableApplicationContext context;
    private final String url;

    private RunningService(Path keys, ConfigurableApplicationContext context) {
        this.keys = keys;
        this.context = context;
        this.url = "http://127.0.0.1:" + context.getEnvironment().getRequiredProperty("local.server.port");
    }

    /** Instances that name the same database are instances of one service. */
    public static RunningService start(Path keys, String database, String... settings) {
        IdentityKeys.createMissing(keys);
        TestBroker.topics(Topics.NODES, Topics.FAULTS, Topics.JOBS, Topics.PLACEMENTS, Topics.CHECKPOINTS);
        List<String> all = new ArrayList<>(List.of(
                "--server.port=0",
                "--muster.test.database=" + database,
                "--muster.identity.gateway-public-key=" + keys.resolve(IdentityKeys.GATEWAY_PUBLIC),
                "--muster.identity.node-public-key=" + keys.resolve(IdentityKeys.NODE_PUBLIC),
                "--muster.identity.node-private-key=" + keys.resolve(IdentityKeys.NODE_PRIVATE),
                "--muster.identity.service-secret=" + keys.resolve(IdentityKeys.SERVICE_SECRET),
                "--muster.health.heartbeat=300ms",
                "--muster.health.lease=1500ms"));
        for (String setting : settings) {
            String name = setting.substring(0, setting.indexOf('=') + 1);
            all.removeIf(known -> known.startsWith(name));
            all.add(setting);
        }
        ConfigurableApplicationContext context = HealthServiceApplication.application()
                .sources(TestInfrastructure.class)
                .run(all.toArray(String[]::new));
        return new RunningService(keys, context);
    }

    public String url() {
        return url;
    }

    public Answer asUser(Role role, String method, String path, @Nullable Object body) {
        return asUser(role, "key_" + role.name().toLowerCase(Locale.ROOT), method, path, body);
    }

    public Answer asUser(Role role, String keyId, String method, String path, @Nullable Object body) {
        return call(method, path, userToken(role, keyId), body);
    }

    /** Of a person of tenant acme. */
    String userToken(Role role, String keyId) {
        return new UserTokens(keys.resolve(IdentityKeys.GATEWAY_PRIVATE), Clock.systemUTC())
                .issue(new UserCaller(new TenantId("acme"), List.of(), role, keyId));
    }

    public Answer asService(String path) {
        String token = new ServiceTokens(keys.resolve(IdentityKeys.SERVICE_SECRET), "job", Clock.systemUTC())
                .bearerFor("health");
        return call("GET", path, token, null);
    }

    public Fitness fitness(NodeId node) {
        return JSON.treeToValue(
                asService("/internal/services/nodes/" + node + "/fitness").body(), Fitness.class);
    }

    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    /** Whether what was told of the job and of its placement has arrived. */
    public boolean knowsJob(JobId job) {
        return bean(JdbcClient.class)
                .sql("select exists (select 1 from job_view where job_id = :job)"
                        + " and exists (select 1 from job_seat where job_id = :job)")
                .param("job", job.value())
                .query(Boolean.class)
                .single();
    }

    public PreflightVerdict verdict(JobId job) {
        return JSON.treeToValue(
                asService("/internal/services/preflights/" + job + "/1/verdict").body(), PreflightVerdict.class);
    }

    /** Whether this instance is the judge. */
    public boolean judges() {
        int status = call("POST", "/internal/join", null, Map.of()).status();
        return status != 503 && status != 307;
    }

    public String nodeToken(NodeId node, Duration life) {
        return new NodeTokens(keys.resolve(IdentityKeys.NODE_PRIVATE), Clock.systemUTC())
                .issue(node, life)
                .value();
    }

    public Answer call(String method, String path, @Nullable String token, @Nullable Object body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path))
                .timeout(Duration.ofSeconds(30))
                .header("Content-Type", "application/json")
                .method(
                        method,
                        body == null
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(body)));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        try {
            HttpResponse<String> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
            boolean json =
                    answer.headers().firstValue("content-type").orElse("").contains("json");
            return new Answer(
                    answer.statusCode(),
                    json ? JSON.readTree(answer.body()) : JSON.getNodeFactory().stringNode(answer.body()),
                    answer.headers());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        context.close();
        http.close();
    }
}
