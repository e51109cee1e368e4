package io.muster.job.neighbour;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreRequest;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import io.muster.contract.job.DomainType;
import io.muster.contract.job.GangRequest;
import io.muster.contract.job.PlacementMode;
import io.muster.contract.node.Fitness;
import io.muster.contract.node.PreflightVerdict;
import io.muster.contract.problem.Problem;
import io.muster.contract.scheduling.FeasibilityAnswer;
import io.muster.contract.scheduling.FeasibilityRequest;
import io.muster.contract.scheduling.FeasibilityVerdict;
import io.muster.job.JobServiceTest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import tools.jackson.databind.json.JsonMapper;

/** The real clients against a small HTTP server that answers, refuses, is slow, or is away. */
@JobServiceTest
class NeighbourClientsTest {

    private static final JobId JOB = new JobId("job_00000000001");
    private static final NodeId NODE = new NodeId("n1");
    private static final Map<String, Canned> ANSWERS = new ConcurrentHashMap<>();
    private static final HttpServer SERVER = server();

    private static final int DROPPED = -1;

    private record Canned(int status, Object body, CountDownLatch hold) {}

    @DynamicPropertySource
    static void addresses(DynamicPropertyRegistry registry) {
        for (String service : List.of("scheduler", "checkpoint", "health")) {
            registry.add(
                    "muster.services." + service + ".url",
                    () -> "http://127.0.0.1:" + SERVER.getAddress().getPort());
        }
    }

    @Autowired
    @Qualifier("schedulerClient")
    Scheduler scheduler;

    @Autowired
    @Qualifier("checkpointsClient")
    Checkpoints checkpoints;

    @Autowired
    @Qualifier("healthClient")
    Health health;

    @Autowired
    CircuitBreakerRegistry breakers;

    @BeforeEach
    void closed() {
        ANSWERS.clear();
        breakers.getAllCircuitBreakers().forEach(CircuitBreaker::reset);
    }

    private static void on(String path, int status, Object body) {
        ANSWERS.put(path, new Canned(status, body, new CountDownLatch(0)));
    }

    private static FeasibilityRequest request() {
        return new FeasibilityRequest(
                new TenantId("acme"),
                new ProjectId("llm"),
                new QueuePath("default"),
                5,
                new GangRequest(
                        1, 8, List.of(), null, true, DomainType.CLUSTER, PlacementMode.PREFERRED, null, List.of()));
    }

    @Test
    void answersArePassedOn() {
        on("/internal/services/feasibility", 200, new FeasibilityAnswer(FeasibilityVerdict.CAN_START_NOW, null));
        assertThat(scheduler.feasibility(request()))
                .isEqualTo(new Answer.Given<>(new FeasibilityAnswer(FeasibilityVerdict.CAN_START_NOW, null)));
        RestoreDecision fresh = new RestoreDecision(RestoreVerdict.FRESH, null, 0, List.of(), "none yet");
        on("/internal/services/restores", 200, fresh);
        assertThat(checkpoints.restore(restore())).isEqualTo(new Answer.Given<>(fresh));
        PreflightVerdict verdict = new PreflightVerdict(true, List.of(), "nobody");
        on("/internal/services/preflights/" + JOB + "/3/verdict", 200, verdict);
        assertThat(health.preflightVerdict(JOB, 3)).isEqualTo(new Answer.Given<>(verdict));
        Fitness fitness = new Fitness(NODE, true, false, List.of(), true);
        on("/internal/services/nodes/n1/fitness", 200, fitness);
        assertThat(health.fitness(NODE)).isEqualTo(new Answer.Given<>(fitness));
    }

    private static RestoreRequest restore() {
        return new RestoreRequest(JOB, new TenantId("acme"), new ProjectId("llm"), 1, "latest", 8, List.of());
    }

    @Test
    void anUnknownExplanationIsAnAnswerAndAFailureIsNone() {
        String path = "/internal/services/jobs/" + JOB + "/explanation";
        on(path, 404, Problem.of(404, "NOT_FOUND", "none", "not looked at yet", null));
        assertThat(scheduler.explanation(JOB)).isEqualTo(new Answer.Given<>(Optional.empty()));
        on(path, 500, Map.of());
        assertThat(scheduler.explanation(JOB)).isInstanceOf(Answer.Missing.class);
        on("/internal/services/restores", 500, Map.of());
        Answer<RestoreDecision> failed = checkpoints.restore(restore());
        assertThat(failed).isInstanceOf(Answer.Missing.class);
        assertThat(((Answer.Missing<RestoreDecision>) failed).why()).contains("checkpoint-service");
    }

    @Test
    void aSlowSchedulerCostsAtMostItsBudgetAndThenIsNotAsked() {
        CountDownLatch hold = new CountDownLatch(1);
        ANSWERS.put("/internal/services/feasibility", new Canned(200, Map.of(), hold));
        for (int i = 0; i < 6; i++) {
            assertThat(scheduler.feasibility(request())).isInstanceOf(Answer.Missing.class);
        }
        assertThat(breakers.circuitBreaker("scheduler").getState()).isEqualTo(CircuitBreaker.State.OPEN);
        assertThat(scheduler.feasibility(request())).isInstanceOf(Answer.Missing.class);
        hold.countDown();
    }

    /** Whatever goes wrong: what people are told names the service, and no address nor exception. */
    @ParameterizedTest
    @ValueSource(ints = {DROPPED, 200, 400, 401, 404, 409, 500, 503})
    void aMissingAnswerNamesTheServiceAndNoAddress(int status) {
        Object body = status == 200
                ? "no such record"
                : Problem.of(status, "SOME_CODE", "t", "see http://127.0.0.1:1234/internal of 10.0.0.1", null);
        for (String path : List.of(
                "/internal/services/feasibility",
                "/internal/services/jobs/" + JOB + "/explanation",
                "/internal/services/restores",
                "/internal/services/nodes/n1/fitness",
                "/internal/services/preflights/" + JOB + "/3/verdict")) {
            on(path, status, body);
        }
        for (int round = 0; round < 8; round++) {
            saysOnly("scheduler-service", scheduler.feasibility(request()));
            if (status != 404) {
                saysOnly("scheduler-service", scheduler.explanation(JOB));
            }
            saysOnly("checkpoint-service", checkpoints.restore(restore()));
            saysOnly("health-service", health.preflightVerdict(JOB, 3));
            saysOnly("health-service", health.fitness(NODE));
        }
        assertThat(breakers.circuitBreaker("health").getState())
                .as("also when it is not even asked")
                .isEqualTo(CircuitBreaker.State.OPEN);
    }

    private static void saysOnly(String service, Answer<?> answer) {
        assertThat(answer).isInstanceOf(Answer.Missing.class);
        assertThat(((Answer.Missing<?>) answer).why())
                .startsWith(service)
                .doesNotContain(
                        "http", "127.0.0.1", "10.0.0.1", "localhost", "Exception", "CircuitBreaker", "io.muster");
    }

    private static HttpServer server() {
        try {
            HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
            server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
            server.createContext("/", NeighbourClientsTest::answer);
            server.start();
            return server;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void answer(HttpExchange exchange) throws IOException {
        Canned canned = ANSWERS.getOrDefault(
                exchange.getRequestURI().getPath(), new Canned(404, Map.of(), new CountDownLatch(0)));
        try {
            canned.hold.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (canned.status == DROPPED) {
            exchange.close();
            return;
        }
        byte[] body =
                JsonMapper.builder().build().writeValueAsString(canned.body).getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(canned.status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }
}
