package io.muster.edge;

import io.muster.contract.id.JobId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.problem.Problem;
import io.muster.edge.identity.IdentityKeys;
import io.muster.edge.identity.NodeCaller;
import io.muster.edge.identity.NodeTokens;
import io.muster.edge.identity.ServiceCaller;
import io.muster.edge.identity.ServiceTokens;
import io.muster.edge.identity.UserCaller;
import io.muster.edge.identity.UserTokens;
import io.muster.edge.page.PageToken;
import io.muster.edge.problem.Problems;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** A service with a path of each kind, started as the real ones are, on a free port. */
public final class SmallService implements AutoCloseable {

    public final Path keys;
    private final ConfigurableApplicationContext context;
    private final HttpClient http = HttpClient.newHttpClient();

    public SmallService(String name, Path keys, Clock clock, Map<String, String> settings) {
        IdentityKeys.createMissing(keys);
        this.keys = keys;
        Map<String, Object> all = new LinkedHashMap<>(Map.of(
                "spring.application.name",
                name + "-service",
                "server.port",
                "0",
                "server.address",
                "127.0.0.1",
                "spring.main.banner-mode",
                "off",
                "muster.identity.gateway-public-key",
                keys.resolve(IdentityKeys.GATEWAY_PUBLIC),
                "muster.identity.node-public-key",
                keys.resolve(IdentityKeys.NODE_PUBLIC),
                "muster.identity.service-secret",
                keys.resolve(IdentityKeys.SERVICE_SECRET)));
        all.putAll(settings);
        this.context = new SpringApplicationBuilder(App.class)
                .initializers(started -> started.getBeanFactory().registerSingleton("clock", clock))
                .properties(all)
                .registerShutdownHook(false)
                .run();
    }

    public int port() {
        return context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    }

    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    public UserTokens userTokens(Clock clock) {
        return new UserTokens(keys.resolve(IdentityKeys.GATEWAY_PRIVATE), clock);
    }

    public NodeTokens nodeTokens(Clock clock) {
        return new NodeTokens(keys.resolve(IdentityKeys.NODE_PRIVATE), clock);
    }

    public ServiceTokens serviceTokens(String self, Clock clock) {
        return new ServiceTokens(keys.resolve(IdentityKeys.SERVICE_SECRET), self, clock);
    }

    public HttpResponse<String> get(String path, @Nullable String token) {
        return send(request(path, token).GET());
    }

    public HttpResponse<String> post(String path, @Nullable String token, String json) {
        return send(request(path, token)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json)));
    }

    public HttpRequest.Builder request(String path, @Nullable String token) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path));
        return token == null ? request : request.header("Authorization", "Bearer " + token);
    }

    public HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        http.close();
        context.close();
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(Paths.class)
    static class App {}

    record Shape(
            String name,
            int nodes,
            @Nullable Double weight,
            @Nullable Mode mode,
            @Nullable QueuePath queue,
            @Nullable List<Part> parts,
            @Nullable Instant at) {}

    record Part(int size) {}

    enum Mode {
        REQUIRED,
        PREFERRED
    }

    @RestController
    static class Paths {

        @GetMapping("/api/v1/who")
        String user(UserCaller caller) {
            return caller.tenant() + " " + caller.projects() + " " + caller.role() + " " + caller.keyId();
        }

        @GetMapping("/api/v1/wait")
        Callable<String> later(UserCaller caller) {
            return () -> "later " + caller.keyId();
        }

        @GetMapping("/api/v1/wrong-kind")
        String wrongKind(NodeCaller caller) {
            return caller.node().value();
        }

        @PostMapping("/api/v1/shapes")
        Shape shape(UserCaller caller, @RequestBody Shape shape) {
            return shape;
        }

        @PutMapping("/api/v1/quota/tree")
        Shape quotaTree(UserCaller caller, @RequestBody Shape shape) {
            return shape;
        }

        @PutMapping("/api/v1/ignores-body")
        String ignores() {
            return "ok";
        }

        @GetMapping("/api/v1/jobs/{id}")
        String job(@PathVariable JobId id, @RequestParam int count, @RequestHeader(name = "If-Match") String match) {
            return id + " " + count + " " + match;
        }

        @GetMapping("/api/v1/pages")
        String page(@RequestParam String pageToken) {
            return PageToken.decode(pageToken).lastKey();
        }

        @GetMapping("/api/v1/fails/{how}")
        String fails(@PathVariable String how) throws Throwable {
            throw switch (how) {
                case "null" -> new NullPointerException("io.muster.secret.Thing is null");
                case "error" -> new AssertionError("io.muster.secret");
                case "checked" -> new java.io.IOException("/etc/secret");
                case "race" -> new OptimisticLockingFailureException("row");
                case "database" -> new QueryTimeoutException("select * from secret");
                default -> new IllegalStateException("io.muster.secret");
            };
        }

        @GetMapping("/api/v1/refusal")
        ResponseEntity<Problem> refusal() {
            return Problems.answer(Problem.of(409, "TAKEN", "Taken", "Name 'a' is taken.", "Take another."));
        }

        @GetMapping("/internal/agents/{node}/ping")
        String node(NodeCaller caller, @PathVariable String node) {
            return caller.node() + " at " + node;
        }

        @GetMapping("/internal/services/ping")
        String service(ServiceCaller caller) {
            return caller.service();
        }

        @PostMapping("/internal/services/shapes")
        Shape internalShape(ServiceCaller caller, @RequestBody Shape shape) {
            return shape;
        }

        @PostMapping("/internal/join")
        String join() {
            return "joined";
        }
    }
}
