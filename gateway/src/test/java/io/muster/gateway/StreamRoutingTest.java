package io.muster.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Server-Sent Events through the gateway. */
final class StreamRoutingTest {

    private static final String JOB = "/api/v1/jobs/job_01k9x3v7q2m4n8p6r0s1t5w9ya";

    @TempDir
    static Path folder;

    private static RunningGateway gateway;

    @BeforeAll
    static void start() {
        gateway = new RunningGateway(
                folder,
                Map.of(
                        "resilience4j.ratelimiter.configs.tenant.limit-for-period", "100000",
                        "resilience4j.bulkhead.instances.streams.max-concurrent-calls", "3",
                        "resilience4j.circuitbreaker.configs.service.wait-duration-in-open-state", "500ms",
                        "muster.gateway.read-timeout", "1s",
                        "muster.gateway.streams-timeout", "6s"));
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @BeforeEach
    void reset() {
        gateway.reset();
    }

    private static HttpRequest.Builder asked(String path) {
        return gateway.request(path, gateway.admin).header("Accept", "text/event-stream");
    }

    private static InputStream open(String path) {
        HttpResponse<InputStream> answer = gateway.send(asked(path).build(), HttpResponse.BodyHandlers.ofInputStream());
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type").orElse("")).startsWith("text/event-stream");
        return answer.body();
    }

    private static String read(InputStream body, int bytes) throws IOException {
        return new String(body.readNBytes(bytes), StandardCharsets.UTF_8);
    }

    private static void begin(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream;charset=UTF-8");
        exchange.sendResponseHeaders(200, 0);
    }

    private static void tell(HttpExchange exchange, String text) throws IOException {
        exchange.getResponseBody().write(text.getBytes(StandardCharsets.UTF_8));
        exchange.getResponseBody().flush();
    }

    /** Tells on and on, until the reader is gone; counts those it tells. */
    private static StubService.Answering endless(AtomicInteger told) {
        return exchange -> {
            told.incrementAndGet();
            try {
                begin(exchange);
                while (true) {
                    tell(exchange, ": beat\n\n");
                    pause(50);
                }
            } finally {
                told.decrementAndGet();
            }
        };
    }

    private static void pause(long millis) throws IOException {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/v1/jobs?state=RUNNING", JOB, "/api/v1/faults"})
    void everyEventIsPassedOnAtOnceAndForLongerThanOtherAnswersTake(String path) throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        StubService service = gateway.service(path.startsWith("/api/v1/jobs") ? "job" : "health");
        service.answering = exchange -> {
            begin(exchange);
            tell(exchange, "id: 8\n\n");
            try {
                assertThat(goOn.await(20, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            tell(exchange, "id: 9\n\n");
        };
        HttpRequest request = asked(path).header("Last-Event-ID", "7").build();
        try (InputStream body =
                gateway.send(request, HttpResponse.BodyHandlers.ofInputStream()).body()) {
            assertThat(read(body, 7)).isEqualTo("id: 8\n\n");
            // longer than the read timeout of other answers
            assertThat(goOn.await(1_500, TimeUnit.MILLISECONDS)).isFalse();
            goOn.countDown();
            assertThat(new String(body.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo("id: 9\n\n");
        }
        StubService.Asked asked = service.asked.getFirst();
        assertThat(asked.headers().getFirst("Last-Event-ID")).isEqualTo("7");
        assertThat(asked.headers().getFirst("Accept")).isEqualTo("text/event-stream");
        assertThat(asked.uri()).isEqualTo(path);
    }

    @Test
    void aStreamGetsATokenWithItsWholeLife() throws Exception {
        gateway.get("/api/v1/jobs", gateway.admin);
        gateway.send(asked("/api/v1/jobs"));
        gateway.send(asked("/api/v1/jobs"));
        List<String> tokens = gateway.asked().stream()
                .map(asked -> asked.headers().getFirst("Authorization").substring("Bearer ".length()))
                .toList();
        Instant end = SignedJWT.parse(tokens.get(2))
                .getJWTClaimsSet()
                .getExpirationTime()
                .toInstant();
        assertThat(Duration.between(Instant.now(), end)).isBetween(Duration.ofSeconds(50), Duration.ofSeconds(61));
        assertThat(tokens.get(1)).as("not the one that is used again").isNotEqualTo(tokens.get(0));
    }

    @Test
    void streamsHaveALimitOfTheirOwnAndPlacesComeBackWhenReadersGo() throws Exception {
        AtomicInteger told = new AtomicInteger();
        gateway.service("job").answering = exchange -> {
            if (exchange.getRequestHeaders().getFirst("Accept").equals("text/event-stream")) {
                endless(told).answer(exchange);
            } else {
                StubService.send(exchange, 200, "application/json", "{}");
            }
        };
        List<InputStream> bodies = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            bodies.add(open("/api/v1/jobs"));
        }
        HttpResponse<String> full = gateway.send(asked(JOB));
        assertThat(full.statusCode()).isEqualTo(503);
        assertThat(full.body()).contains("OVERLOADED", "3 requests", "'streams'");
        assertThat(full.headers().firstValue("Retry-After")).contains("1");
        assertThat(gateway.send(gateway.request("/api/v1/jobs", gateway.admin).header("Accept", "application/json"))
                        .statusCode())
                .as("pages have another lane")
                .isEqualTo(200);
        for (InputStream body : bodies) {
            body.close();
        }
        Awaitility.await()
                .atMost(Duration.ofSeconds(5))
                .untilAsserted(
                        () -> assertThat(told).as("the service is let go too").hasValue(0));
        open("/api/v1/jobs").close();
    }

    @Test
    void nothingThatBefallsAStreamCountsAgainstTheService() throws Exception {
        String problem = "{\"status\":503,\"code\":\"TOO_MANY_STREAMS\"}";
        gateway.service("job").answering = exchange -> {
            exchange.getResponseHeaders().set("Retry-After", "5");
            StubService.send(exchange, 503, "application/problem+json", problem);
        };
        for (int i = 0; i < 30; i++) {
            HttpResponse<String> full = gateway.send(asked("/api/v1/jobs"));
            assertThat(full.statusCode()).isEqualTo(503);
            assertThat(full.body()).isEqualTo(problem);
            assertThat(full.headers().firstValue("Retry-After")).contains("5");
        }
        gateway.service("job").answering = exchange -> {
            begin(exchange);
            tell(exchange, "id: 1\n\n");
            throw new IOException("torn off");
        };
        for (int i = 0; i < 30; i++) {
            try (InputStream body = open(JOB)) {
                assertThat(new String(body.readAllBytes(), StandardCharsets.UTF_8))
                        .isEqualTo("id: 1\n\n");
            }
        }
        gateway.service("job").answering = exchange -> StubService.send(exchange, 200, "application/json", "{}");
        for (int i = 0; i < 10; i++) {
            assertThat(gateway.get("/api/v1/jobs", gateway.admin).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void aServiceThatFailsOnStreamsOpensItsBreakerAllTheSame() {
        gateway.service("health").answering = exchange -> StubService.send(exchange, 500, "application/json", "{}");
        HttpResponse<String> last = gateway.send(asked("/api/v1/faults"));
        for (int i = 0; i < 30 && last.statusCode() == 500; i++) {
            last = gateway.send(asked("/api/v1/faults"));
        }
        assertThat(last.body()).contains("not asked for a moment");
        gateway.reset();
        Awaitility.await()
                .atMost(Duration.ofSeconds(10))
                .until(() -> gateway.get("/api/v1/faults", gateway.admin).statusCode() == 200);
    }

    @Test
    void aStreamThatAServiceNeverEndsIsEndedHere() throws Exception {
        AtomicInteger told = new AtomicInteger();
        gateway.service("job").answering = endless(told);
        try (InputStream body = open("/api/v1/jobs")) {
            assertThat(new String(body.readAllBytes(), StandardCharsets.UTF_8))
                    .as("ends as an answer ends")
                    .endsWith(": beat\n\n");
        }
        Awaitility.await().atMost(Duration.ofSeconds(5)).until(() -> told.get() == 0);
    }

    @Test
    void onlyWhatIsStreamedWaitsSoLong() {
        CountDownLatch never = new CountDownLatch(1);
        gateway.service("quota").answering = exchange -> {
            try {
                never.await(20, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        };
        HttpResponse<String> answer = gateway.send(asked("/api/v1/quota/tree"));
        never.countDown();
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.body()).contains("1000 ms");
    }

    @ParameterizedTest
    @ValueSource(strings = {"%%%", "text/event-stream;q=x", ";;;", "text/", "*/*", "text/*"})
    void aHeaderThatNamesNoStreamIsTheServicesBusiness(String accept) {
        assertThat(gateway.send(gateway.request("/api/v1/jobs", gateway.admin).header("Accept", accept))
                        .statusCode())
                .isLessThan(500);
    }
}
