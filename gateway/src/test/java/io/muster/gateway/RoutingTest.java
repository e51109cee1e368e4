package io.muster.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.Headers;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What reaches a service, as whom, and what happens when it does not answer. */
final class RoutingTest {

    private static final String JOB = "job_01k9x3v7q2m4n8p6r0s1t5w9ya";
    private static final String CHECKPOINT = "chk_01k9x3v7q2m4n8p6r0s1t5w9ya";

    @TempDir
    static Path folder;

    private static RunningGateway gateway;

    @BeforeAll
    static void start() {
        gateway = new RunningGateway(
                folder,
                Map.of(
                        "resilience4j.ratelimiter.configs.tenant.limit-for-period", "100000",
                        "resilience4j.ratelimiter.instances.tenant-acme.limit-for-period", "100000",
                        "resilience4j.ratelimiter.instances.tenant-acme.limit-refresh-period", "1s",
                        "resilience4j.ratelimiter.instances.tenant-slow.base-config", "tenant",
                        "resilience4j.ratelimiter.instances.tenant-slow.limit-for-period", "5",
                        "resilience4j.ratelimiter.instances.tenant-slow.limit-refresh-period", "1h",
                        "resilience4j.bulkhead.instances.logs.max-concurrent-calls", "3",
                        "resilience4j.circuitbreaker.configs.service.wait-duration-in-open-state", "500ms",
                        "muster.gateway.read-timeout", "2500ms"));
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @BeforeEach
    void reset() {
        gateway.reset();
    }

    /** The table of docs/internal-api.md, written down a second time. */
    static Stream<String[]> table() {
        return Stream.of(
                row("POST", "/api/v1/jobs?dryRun=true", "job"),
                row("GET", "/api/v1/jobs?state=RUNNING&state=QUEUED&label=a:b%20c", "job"),
                row("GET", "/api/v1/jobs/" + JOB, "job"),
                row("GET", "/api/v1/jobs/" + JOB + "/timeline", "job"),
                row("GET", "/api/v1/jobs/" + JOB + "/attempts", "job"),
                row("GET", "/api/v1/jobs/" + JOB + "/logs?rank=0&follow=true", "job"),
                row("GET", "/api/v1/jobs/" + JOB + "/explanation", "job"),
                row("GET", "/api/v1/jobs/" + JOB + "/waste", "job"),
                row("POST", "/api/v1/jobs/" + JOB + "/cancel", "job"),
                row("GET", "/api/v1/quota/tree", "quota"),
                row("PUT", "/api/v1/quota/tree?dryRun=true", "quota"),
                row("GET", "/api/v1/quota/nodes/nlp.pretrain", "quota"),
                row("GET", "/api/v1/quota/audit", "quota"),
                row("GET", "/api/v1/usage?groupBy=tenant,queue", "quota"),
                row("GET", "/api/v1/jobs/" + JOB + "/cost", "quota"),
                row("GET", "/api/v1/cluster/capacity", "scheduler"),
                row("GET", "/api/v1/cluster/largest-gang", "scheduler"),
                row("GET", "/api/v1/queues/nlp.pretrain/pending", "scheduler"),
                row("GET", "/api/v1/nodes", "health"),
                row("GET", "/api/v1/nodes/r1-n2", "health"),
                row("POST", "/api/v1/nodes/r1-n2/cordon", "health"),
                row("POST", "/api/v1/nodes/r1-n2/uncordon", "health"),
                row("POST", "/api/v1/nodes/join-tokens", "health"),
                row("GET", "/api/v1/jobs/" + JOB + "/checkpoints", "checkpoint"),
                row("GET", "/api/v1/checkpoints/" + CHECKPOINT, "checkpoint"));
    }

    static Stream<String[]> faultsAndSpares() {
        return Stream.of(
                row("PUT", "/api/v1/nodes/r1-n2/spare", "health"),
                row("DELETE", "/api/v1/nodes/r1-n2/spare", "health"),
                row("GET", "/api/v1/faults?status=OPEN&layer=NODE&limit=10", "health"),
                row("GET", "/api/v1/faults/phases?days=7", "health"),
                row("GET", "/api/v1/faults/fault_01k9x3v7q2m4n8p6r0s1t5w9ya", "health"));
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource({"table", "faultsAndSpares"})
    void everyPathOfTheTableReachesItsService(String method, String uri, String service) {
        String body = method.equals("GET") ? "" : "{\"a\":\"é\"}";
        HttpRequest.Builder request = gateway.request(uri, gateway.admin);
        if (method.equals("GET")) {
            request.GET();
        } else {
            request.header("Content-Type", "application/json")
                    .method(method, HttpRequest.BodyPublishers.ofString(body));
        }
        HttpResponse<String> answer = gateway.send(request);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("{\"ok\":true}");
        assertThat(gateway.asked()).singleElement().satisfies(asked -> {
            assertThat(asked.service()).isEqualTo(service);
            assertThat(asked.method()).isEqualTo(method);
            assertThat(java.net.URI.create(asked.uri()).getPath())
                    .isEqualTo(java.net.URI.create(uri).getPath());
            assertThat(java.net.URI.create(asked.uri()).getQuery())
                    .isEqualTo(java.net.URI.create(uri).getQuery());
            assertThat(asked.body()).isEqualTo(body);
        });
    }

    @Test
    void theServiceGetsASignedTokenInsteadOfTheKey() throws Exception {
        String key = gateway.newKey("acme", "ENGINEER", "[\"llm\"]");
        gateway.get("/api/v1/jobs", key);
        gateway.get("/api/v1/quota/tree", key);
        List<StubService.Asked> asked = gateway.asked();
        String header = asked.getFirst().headers().getFirst("Authorization");
        assertThat(asked.getLast().headers().getFirst("Authorization"))
                .as("signed once")
                .isEqualTo(header);
        JWTClaimsSet claims =
                SignedJWT.parse(header.substring("Bearer ".length())).getJWTClaimsSet();
        assertThat(claims.getIssuer()).isEqualTo("muster-gateway");
        assertThat(claims.getSubject()).isEqualTo(RunningGateway.idOf(key));
        assertThat(claims.getStringClaim("tenant")).isEqualTo("acme");
        assertThat(claims.getStringListClaim("projects")).containsExactly("llm");
        assertThat(claims.getStringClaim("role")).isEqualTo("ENGINEER");
        assertThat(Duration.between(Instant.now(), claims.getExpirationTime().toInstant()))
                .isBetween(Duration.ofSeconds(20), Duration.ofSeconds(61));
        assertThat(asked).allSatisfy(one -> assertThat(one.headers().toString()).doesNotContain(key));
        gateway.get("/api/v1/jobs", gateway.admin);
        assertThat(gateway.service("job").asked.getLast().headers().getFirst("Authorization"))
                .as("another caller")
                .isNotEqualTo(header);
    }

    @Test
    void nothingThatAPersonSendsPretendsToBeTheGateway() {
        HttpRequest.Builder request = gateway.request("/api/v1/jobs", gateway.admin)
                .header("Idempotency-Key", "abc")
                .header("If-None-Match", "\"1\"")
                .header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
        for (String forged : List.of(
                "X-Forwarded-For",
                "X-Forwarded-Host",
                "X-Forwarded-Proto",
                "X-Forwarded-Prefix",
                "Forwarded",
                "X-Real-IP",
                "X-Muster-Tenant",
                "X-Muster-Role",
                "X-User",
                "X-Remote-User",
                "X-Original-URL",
                "X-Rewrite-URL",
                "X-HTTP-Method-Override",
                "Cookie",
                "Proxy-Authorization",
                "X-Tenant",
                "Via",
                "TE",
                "tracestate",
                "baggage")) {
            request.header(forged, "evil");
        }
        assertThat(gateway.send(request).statusCode()).isEqualTo(200);
        Headers passed = gateway.asked().getFirst().headers();
        assertThat(passed.toString()).doesNotContain("evil");
        assertThat(passed.getFirst("Idempotency-Key")).isEqualTo("abc");
        assertThat(passed.getFirst("If-None-Match")).isEqualTo("\"1\"");
        assertThat(passed.getFirst("traceparent"))
                .startsWith("00-0af7651916cd43dd8448eb211c80319c-")
                .doesNotContain("b7ad6b7169203331");
        assertThat(passed.get("Authorization")).hasSize(1);
        assertThat(passed.keySet())
                .allMatch(name -> List.of(
                                "Accept",
                                "Authorization",
                                "Connection",
                                "Content-length",
                                "Content-type",
                                "Host",
                                "Idempotency-key",
                                "If-none-match",
                                "Traceparent",
                                "User-agent",
                                "Transfer-encoding",
                                "Accept-encoding")
                        .contains(name));
    }

    @Test
    void aServicesAnswerComesBackWithoutItsInsides() {
        gateway.service("job").answering = exchange -> {
            Headers headers = exchange.getResponseHeaders();
            headers.set("Location", gateway.service("job").url() + "/api/v1/jobs/" + JOB + "?x=1");
            headers.set("ETag", "\"7\"");
            headers.set("Set-Cookie", "a=b");
            headers.set("X-Internal", "secret");
            headers.set("Server", "stub");
            headers.set("X-Request-Id", "stub");
            StubService.send(exchange, 201, "application/json", "{}");
        };
        HttpResponse<String> answer = gateway.post("/api/v1/jobs", gateway.admin, "{}");
        assertThat(answer.statusCode()).isEqualTo(201);
        assertThat(answer.headers().allValues("Location")).containsExactly("/api/v1/jobs/" + JOB + "?x=1");
        assertThat(answer.headers().allValues("ETag")).containsExactly("\"7\"");
        assertThat(answer.headers().allValues("X-Request-Id")).singleElement().isNotEqualTo("stub");
        assertThat(answer.headers().map().toString()).doesNotContain("secret", "a=b", "127.0.0.1");
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 401, 403, 404, 409, 412, 422, 428})
    void aServicesRefusalComesBackAsItIs(int status) {
        String problem = "{\"status\":" + status + ",\"code\":\"X\"}";
        gateway.service("quota").answering =
                exchange -> StubService.send(exchange, status, "application/problem+json", problem);
        HttpResponse<String> answer = gateway.get("/api/v1/quota/tree", gateway.admin);
        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(answer.body()).isEqualTo(problem);
        assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
    }

    @Test
    void withoutAKeyNothingReachesAService() {
        for (String[] row : table().toList()) {
            HttpRequest.Builder request =
                    gateway.request(row[1], null).method(row[0], HttpRequest.BodyPublishers.noBody());
            assertThat(gateway.send(request).statusCode()).as(row[1]).isEqualTo(401);
        }
        assertThat(gateway.asked()).isEmpty();
    }

    @Test
    void wrongMethodsAndBodiesAreRefusedAtTheDoor() {
        HttpResponse<String> method = gateway.delete("/api/v1/jobs/" + JOB, gateway.admin);
        assertThat(method.statusCode()).isEqualTo(405);
        assertThat(method.body()).contains("It takes GET.");
        assertThat(gateway.post("/api/v1/jobs", gateway.admin, "x".repeat(64 * 1024 + 1))
                        .statusCode())
                .isEqualTo(413);
        HttpRequest.Builder chunked = gateway.request("/api/v1/jobs", gateway.admin)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofInputStream(
                        () -> new java.io.ByteArrayInputStream(new byte[64 * 1024 + 1])));
        assertThat(gateway.send(chunked).statusCode()).isEqualTo(413);
        HttpRequest.Builder form = gateway.request("/api/v1/jobs", gateway.admin)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString("a=b"));
        assertThat(gateway.send(form).statusCode()).isEqualTo(415);
        assertThat(gateway.asked()).isEmpty();
        HttpRequest.Builder atLimit = gateway.request("/api/v1/jobs", gateway.admin)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofInputStream(() ->
                        new java.io.ByteArrayInputStream("x".repeat(64 * 1024).getBytes(StandardCharsets.UTF_8))));
        assertThat(gateway.send(atLimit).statusCode()).isEqualTo(200);
        assertThat(gateway.asked().getFirst().body()).hasSize(64 * 1024);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/internal/join",
                "/internal/agents/r1-n1/desired",
                "/internal/services/feasibility",
                "/actuator",
                "/actuator/env",
                "/actuator/health",
                "/actuator/prometheus",
                "/v3/api-docs",
                "/error",
                "/",
                "/swagger-ui.html",
                "/api/v1/%2e%2e/%2e%2e/internal/join",
                "/api/v1/../../internal/join",
                "/api/v1/jobs/..%2f..%2f..%2finternal%2fjoin",
                "/api/v1/jobs/..;/..;/..;/internal/join",
                "/api/v1/jobs//../../../internal/join",
                "//internal/join",
                "/%2finternal/join",
                "/%69nternal/join",
                "/api/v1/jobs/%2e%2e",
                "/api/v1/jobs/.%2e/..",
                "/api/v1/jobs/..",
                "/api/v1/jobs/.",
                "/api/v1/jobs/%252e%252e%252finternal",
                "/api/v1/jobs/a%00b",
                "/api/v1/jobs/a%5c..%5c..",
                "/api/v1/jobs/a;b=c",
                "/api/v1/jobs/a%3f/../x",
                "/api/v1/jobs/a%23b",
                "/api/v1/jobs/a%20b",
                "/api/v1/jobs/a/",
                "/api/v1/jobs/",
                "/API/V1/jobs",
                "/api/v1/Jobs",
                "/api/v1/jobs/%E2%80%AE",
                "/api/v2/jobs",
                "/api/v1/nodes/a/drain",
                "http://evil.example/internal/join",
                "/api/v1/quota/nodes/a/b",
                "/api/v1/quota/nodes/...",
                "/api/v1/jobs/a@evil"
            })
    void noSpellingReachesWhatIsNotInTheTable(String path) {
        String answer = gateway.raw("GET " + path
                + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer " + gateway.admin + "\r\n\r\n");
        assertThat(answer).matches("(?s)HTTP/1\\.1 (400|404|405) .*");
        assertThat(answer).contains("application/problem+json").doesNotContain("Exception", "<html");
        assertThat(gateway.asked()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void whateverIsAskedOnlyPathsOfTheTableReachAService(long seed) {
        Random random = new Random(seed);
        List<String[]> rows = table().toList();
        String[] pieces = {
            "..",
            "%2e%2e",
            "/",
            "//",
            "%2f",
            "%2F",
            ";",
            ";a=b",
            "\\",
            "%5c",
            ".",
            "%00",
            "%25",
            "?",
            "#",
            "@",
            ":",
            "internal",
            "actuator",
            "%",
            "é",
            "+",
            "*",
            "{id}",
            "~",
            "%7e",
            "&",
            "=",
            "[",
            "|",
            "^",
            "%c0%ae",
            "\t"
        };
        for (int i = 0; i < 150; i++) {
            String path = rows.get(random.nextInt(rows.size()))[1];
            StringBuilder mutated = new StringBuilder(path);
            for (int j = random.nextInt(3); j >= 0; j--) {
                int at = 1 + random.nextInt(mutated.length() - 1);
                String piece = pieces[random.nextInt(pieces.length)];
                if (random.nextBoolean()) {
                    mutated.insert(at, piece);
                } else {
                    mutated.replace(at, Math.min(mutated.length(), at + 1 + random.nextInt(4)), piece);
                }
            }
            gateway.reset();
            String answer =
                    gateway.raw("GET " + mutated + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer "
                            + gateway.admin + "\r\n\r\n");
            assertThat(answer).as("seed %d: %s", seed, mutated).matches("(?s)HTTP/1\\.1 [234].*");
            for (StubService.Asked asked : gateway.asked()) {
                String reached = java.net.URI.create(asked.uri()).getRawPath();
                assertThat(rows)
                        .as("seed %d: %s reached %s %s", seed, mutated, asked.service(), asked.uri())
                        .anyMatch(row ->
                                row[0].equals("GET") && row[2].equals(asked.service()) && isOfForm(reached, row[1]));
                assertThat(reached + "/").doesNotContain("/../", "/./", "//", "%", ";", "\\");
            }
        }
    }

    /** Equal but for the ids and names that stand in the table's examples. */
    private static boolean isOfForm(String path, String example) {
        String template = java.net
                .URI
                .create(example.replace(":", "%3A").replace(",", "%2C"))
                .getRawPath()
                .replace(JOB, "\0")
                .replace(CHECKPOINT, "\0")
                .replace("nlp.pretrain", "\0")
                .replace("r1-n2", "\0");
        StringBuilder pattern = new StringBuilder();
        for (int i = 0; i < template.length(); i++) {
            pattern.append(
                    template.charAt(i) == '\0' ? "[^/]+" : java.util.regex.Pattern.quote(template.substring(i, i + 1)));
        }
        return path.matches(pattern.toString());
    }

    @Test
    void aLogIsPassedOnAsItComes() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        gateway.service("job").answering = exchange -> {
            exchange.getResponseHeaders().set("Content-Type", "text/plain;charset=UTF-8");
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write("first\n".getBytes(StandardCharsets.UTF_8));
            exchange.getResponseBody().flush();
            await(goOn);
            exchange.getResponseBody().write("second\n".getBytes(StandardCharsets.UTF_8));
        };
        HttpRequest request = gateway.request("/api/v1/jobs/" + JOB + "/logs?follow=true", gateway.admin)
                .build();
        try (InputStream body =
                gateway.send(request, HttpResponse.BodyHandlers.ofInputStream()).body()) {
            assertThat(new String(body.readNBytes(6), StandardCharsets.UTF_8)).isEqualTo("first\n");
            // longer than the read timeout of other paths
            assertThat(goOn.await(3, TimeUnit.SECONDS)).isFalse();
            goOn.countDown();
            assertThat(new String(body.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo("second\n");
        }
    }

    @Test
    void heavyReadersOfLogsKeepNobodyFromSubmitting() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        gateway.service("job").answering = exchange -> {
            if (exchange.getRequestURI().getPath().endsWith("/logs")) {
                exchange.getResponseHeaders().set("Content-Type", "text/plain");
                exchange.sendResponseHeaders(200, 0);
                exchange.getResponseBody().write("x\n".getBytes(StandardCharsets.UTF_8));
                exchange.getResponseBody().flush();
                await(goOn);
            } else {
                StubService.send(exchange, 201, "application/json", "{}");
            }
        };
        String logs = "/api/v1/jobs/" + JOB + "/logs?follow=true";
        List<InputStream> followed = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            InputStream body = gateway.send(
                            gateway.request(logs, gateway.admin).build(), HttpResponse.BodyHandlers.ofInputStream())
                    .body();
            assertThat(body.readNBytes(2)).hasSize(2);
            followed.add(body);
        }
        HttpResponse<String> full = gateway.get(logs, gateway.admin);
        assertThat(full.statusCode()).isEqualTo(503);
        assertThat(full.body()).contains("OVERLOADED", "'logs'", "\"retryable\":true");
        assertThat(full.headers().firstValue("Retry-After")).contains("1");
        assertThat(gateway.post("/api/v1/jobs", gateway.admin, "{}").statusCode())
                .isEqualTo(201);
        assertThat(gateway.get("/api/v1/jobs", gateway.admin).statusCode()).isEqualTo(201);
        goOn.countDown();
        for (InputStream body : followed) {
            body.readAllBytes();
            body.close();
        }
        gateway.service("job").answering = exchange -> StubService.send(exchange, 200, "text/plain", "done");
        Awaitility.await()
                .atMost(Duration.ofSeconds(5))
                .untilAsserted(() -> assertThat(gateway.get(logs, gateway.admin).statusCode())
                        .isEqualTo(200));
    }

    @Test
    void aServiceThatIsAwayIsNamedAndLeftInPeaceForAMoment() {
        StubService scheduler = gateway.service("scheduler");
        scheduler.down();
        HttpResponse<String> last = gateway.get("/api/v1/cluster/capacity", gateway.admin);
        for (int i = 0; i < 20 && !last.body().contains("not asked for a moment"); i++) {
            assertThat(last.statusCode()).isEqualTo(503);
            assertThat(last.body()).contains("scheduler-service", "\"retryable\":true", "SERVICE_UNAVAILABLE");
            last = gateway.get("/api/v1/cluster/capacity", gateway.admin);
        }
        assertThat(last.body()).contains("not asked for a moment");
        assertThat(gateway.get("/api/v1/jobs", gateway.admin).statusCode())
                .as("others go on")
                .isEqualTo(200);
        assertThat(metrics())
                .containsPattern(
                        "resilience4j_circuitbreaker_state\\{[^}]*name=\"scheduler\",[^}]*state=\"open\"\\} 1");
        scheduler.up();
        Awaitility.await()
                .atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(gateway.get("/api/v1/cluster/capacity", gateway.admin)
                                .statusCode())
                        .isEqualTo(200));
    }

    @Test
    void aServiceThatFailsOpensItsBreakerToo() {
        StubService checkpoint = gateway.service("checkpoint");
        checkpoint.answering =
                exchange -> StubService.send(exchange, 500, "application/problem+json", "{\"status\":500}");
        String path = "/api/v1/checkpoints/" + CHECKPOINT;
        Awaitility.await()
                .atMost(Duration.ofSeconds(10))
                .untilAsserted(() ->
                        assertThat(gateway.get(path, gateway.admin).body()).contains("not asked for a moment"));
        checkpoint.answering = exchange -> StubService.send(exchange, 404, "application/problem+json", "{}");
        Awaitility.await()
                .atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(gateway.get(path, gateway.admin).statusCode())
                        .isEqualTo(404));
    }

    @Test
    void aServiceThatHangsIsGivenUp() {
        CountDownLatch never = new CountDownLatch(1);
        gateway.service("health").answering = exchange -> await(never);
        HttpResponse<String> answer = gateway.get("/api/v1/nodes", gateway.admin);
        never.countDown();
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.body()).contains("health-service", "2500 ms");
    }

    @Test
    void aTenantThatFloodsTheDoorWaitsAlone() throws Exception {
        gateway.post("/api/v1/tenants", gateway.admin, "{\"id\":\"slow\"}");
        String key = gateway.newKey("slow", "ENGINEER", "[]");
        String second = gateway.newKey("slow", "ENGINEER", "[]");
        String other = gateway.newKey("acme", "ENGINEER", "[]");
        List<Future<HttpResponse<String>>> answers = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 20; i++) {
                String one = i % 2 == 0 ? key : second;
                answers.add(threads.submit(() -> gateway.get("/api/v1/jobs", one)));
            }
        }
        List<Integer> statuses = new ArrayList<>();
        for (Future<HttpResponse<String>> answer : answers) {
            statuses.add(answer.get().statusCode());
            if (answer.get().statusCode() == 429) {
                assertThat(answer.get().headers().firstValue("Retry-After")).contains("3600");
                assertThat(answer.get().body()).contains("RATE_LIMITED", "Tenant 'slow'", " 5 requests");
            }
        }
        assertThat(statuses).filteredOn(status -> status == 200).hasSize(5);
        assertThat(statuses).filteredOn(status -> status == 429).hasSize(15);
        assertThat(gateway.get("/api/v1/jobs", other).statusCode()).isEqualTo(200);
    }

    @Test
    void managementIsOnItsOwnPort() {
        assertThat(management("/actuator/health").statusCode()).isEqualTo(200);
        assertThat(metrics()).contains("http_server_requests_seconds_count");
        assertThat(management("/actuator/env").statusCode()).isEqualTo(404);
        assertThat(management("/actuator").statusCode()).isEqualTo(404);
        assertThat(management("/api/v1/whoami").statusCode()).isIn(401, 404);
    }

    private static String metrics() {
        return management("/actuator/prometheus").body();
    }

    private static HttpResponse<String> management(String path) {
        return gateway.send(
                HttpRequest.newBuilder(java.net.URI.create("http://127.0.0.1:" + gateway.managementPort() + path))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String[] row(String method, String uri, String service) {
        return new String[] {method, uri, service};
    }
}
