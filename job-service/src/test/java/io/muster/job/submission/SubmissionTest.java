package io.muster.job.submission;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import io.muster.contract.quota.QuotaNode;
import io.muster.contract.scheduling.Explanation;
import io.muster.contract.scheduling.FeasibilityAnswer;
import io.muster.contract.scheduling.FeasibilityVerdict;
import io.muster.edge.identity.Role;
import io.muster.job.Api;
import io.muster.job.JobServiceTest;
import io.muster.job.TestDoor;
import io.muster.job.TestNeighbours;
import io.muster.job.TestQuota;
import io.muster.job.neighbour.Answer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@JobServiceTest
class SubmissionTest {

    private static final int HOSTILE = 10_000;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    @LocalServerPort
    int port;

    @Autowired
    JdbcClient jdbc;

    @Autowired
    TestNeighbours.Script script;

    private Api acme;
    private Api rival;

    @BeforeEach
    void twoTenants() {
        script.reset();
        acme = new Api(port, TestDoor.user("acme", Role.ENGINEER));
        rival = new Api(port, TestDoor.user("rival", Role.ENGINEER));
        TestQuota.heardOf(
                jdbc,
                List.of(
                        node("/", null),
                        node("default", null),
                        node("nlp", "acme"),
                        node("nlp/pretrain", null),
                        node("secret", "rival")));
    }

    private static QuotaNode node(String path, String tenant) {
        return new QuotaNode(
                new QueuePath(path),
                0,
                null,
                1,
                false,
                false,
                false,
                tenant == null ? null : new TenantId(tenant),
                List.of());
    }

    static String spec(String name) {
        return """
                {"name": "%s", "project": "llm", "runtime": {"command": ["x"]}, "resources": {"nodes": 2}}""".formatted(name);
    }

    @Test
    void aJobIsStoredAndShownWithItsEffectiveSpecThatCanBeSubmittedAgain() {
        Api.Reply created = acme.post("/api/v1/jobs", spec("stored"));
        assertThat(created.status()).isEqualTo(201);
        String path = created.header("Location");
        assertThat(path).isEqualTo("/api/v1/jobs/" + created.json().get("id").stringValue());
        assertThat(created.json().get("warnings").get(0).stringValue()).contains("checkpoint.uri");
        Api.Reply shown = acme.get(path);
        assertThat(shown.header("ETag")).isEqualTo(created.header("ETag"));
        assertThat(acme.get(path, "If-None-Match", shown.header("ETag")).status())
                .isEqualTo(304);
        assertThat(shown.json().get("spec")).isEqualTo(JSON.readTree(spec("stored")));
        JsonNode effective = shown.json().get("effectiveSpec");
        assertThat(effective.get("queue").stringValue()).isEqualTo("default");
        Api.Reply again = acme.post("/api/v1/jobs?dryRun=true", effective);
        assertThat(again.status()).as(again.text()).isEqualTo(200);
        assertThat(again.json().get("effectiveSpec")).isEqualTo(effective);
        assertThat(again.json().get("warnings").toString()).contains("is taken by " + path);
    }

    @Test
    void aDryRunStoresNothing() {
        Api.Reply dry = acme.post("/api/v1/jobs?dryRun=true", spec("dry"), "Idempotency-Key", "dry-1");
        assertThat(dry.status()).isEqualTo(200);
        assertThat(dry.json().get("feasibility").get("verdict").stringValue()).isEqualTo("CAN_START_NOW");
        assertThat(acme.get("/api/v1/jobs?pageSize=500").text()).doesNotContain("\"dry\"");
    }

    @Test
    void aLiveNameIsTakenAndFreeAgainAfterTheEnd() {
        Api.Reply first = acme.post("/api/v1/jobs", spec("once"));
        Api.Reply second = acme.post("/api/v1/jobs", spec("once"));
        assertThat(second.status()).isEqualTo(409);
        assertThat(second.json().get("code").stringValue()).isEqualTo("NAME_TAKEN");
        assertThat(second.text()).contains(first.header("Location"));
        assertThat(rival.post("/api/v1/jobs", spec("once")).status()).isEqualTo(201);
        acme.post(first.header("Location") + "/cancel", "");
        assertThat(acme.post("/api/v1/jobs", spec("once")).status()).isEqualTo(201);
    }

    @Test
    void queueAndProjectMustBeTheCallers() {
        assertThat(violation(acme.post("/api/v1/jobs", withQueue("secret"))))
                .contains("no queue 'secret'")
                .contains("acme");
        assertThat(violation(acme.post("/api/v1/jobs", withQueue("nlp")))).contains("queues below it");
        assertThat(violation(acme.post("/api/v1/jobs", withQueue("nlp/pretrian"))))
                .contains("did you mean 'nlp/pretrain'");
        assertThat(acme.post("/api/v1/jobs", withQueue("nlp/pretrain")).status())
                .isEqualTo(201);
        assertThat(violation(rival.post("/api/v1/jobs", withQueue("nlp/pretrain"))))
                .contains("no queue");
        Api limited = new Api(port, TestDoor.user("acme", Role.ENGINEER, "vision"));
        assertThat(violation(limited.post("/api/v1/jobs", spec("p")))).contains("may not use project 'llm'");
        Api.Reply byDefault = limited.post("/api/v1/jobs", """
                {"name": "p", "runtime": {"command": ["x"]}}""");
        assertThat(byDefault.json().get("project").stringValue()).isEqualTo("vision");
        Api viewer = new Api(port, TestDoor.user("acme", Role.VIEWER));
        assertThat(viewer.post("/api/v1/jobs", spec("v")).status()).isEqualTo(403);
    }

    private static String withQueue(String queue) {
        return """
                {"name": "q", "project": "llm", "queue": "%s", "runtime": {"command": ["x"]}}""".formatted(queue);
    }

    private static String violation(Api.Reply reply) {
        assertThat(reply.status()).as(reply.text()).isEqualTo(400);
        return reply.json().get("violations").get(0).get("message").stringValue();
    }

    @Test
    void whatCanNeverFitIsRefusedWithNumbersAndWhatCannotBeAskedIsAccepted() {
        Explanation why = new Explanation(
                "EXCEEDS_CLUSTER",
                "CHANGE_REQUEST",
                List.of(),
                List.of(),
                Map.of("requestedGpus", 512L, "clusterGpus", 64L),
                "requested 512 GPUs, the cluster has 64",
                "lower resources.nodes to 8",
                Instant.now());
        script.feasibility = new Answer.Given<>(new FeasibilityAnswer(FeasibilityVerdict.NEVER_FITS, why));
        Api.Reply never = acme.post("/api/v1/jobs", spec("huge"));
        assertThat(never.status()).isEqualTo(422);
        assertThat(never.json().get("code").stringValue()).isEqualTo("NEVER_FITS");
        assertThat(never.json().get("detail").stringValue()).contains("512").contains("64");
        assertThat(never.json().get("hint").stringValue()).contains("lower resources.nodes");
        script.feasibility = new Answer.Missing<>("circuit open");
        Api.Reply unknown = acme.post("/api/v1/jobs", spec("unjudged"));
        assertThat(unknown.status()).isEqualTo(201);
        assertThat(unknown.json().get("warnings").toString()).contains("not known yet");
    }

    @Test
    void withoutAQuotaTreeItIsTryAgain() {
        jdbc.sql("delete from quota_view").update();
        Api.Reply reply = acme.post("/api/v1/jobs", spec("early"));
        assertThat(reply.status()).isEqualTo(503);
        assertThat(reply.json().get("retryable").booleanValue()).isTrue();
        assertThat(acme.post("/api/v1/jobs", "{}").status())
                .as("what is wrong is said all the same")
                .isEqualTo(400);
    }

    @Test
    void anIdempotencyKeyMakesOneJobOfManySubmissionsAtOnce() throws Exception {
        String body = spec("idem");
        Callable<Api.Reply> call = () -> acme.post("/api/v1/jobs", body, "Idempotency-Key", "key-1");
        List<Api.Reply> replies = new ArrayList<>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<Api.Reply> reply : threads.invokeAll(java.util.Collections.nCopies(16, call))) {
                replies.add(reply.get());
            }
        }
        assertThat(replies).allMatch(reply -> reply.status() == 201);
        assertThat(replies)
                .extracting(Api.Reply::text)
                .containsOnly(replies.getFirst().text());
        assertThat(replies)
                .extracting(reply -> reply.header("ETag"))
                .containsOnly(replies.getFirst().header("ETag"));
        assertThat(acme.post("/api/v1/jobs", spec("other"), "Idempotency-Key", "key-1")
                        .status())
                .isEqualTo(422);
        assertThat(rival.post("/api/v1/jobs", spec("other"), "Idempotency-Key", "key-1")
                        .status())
                .isEqualTo(201);
        assertThat(acme.post("/api/v1/jobs", body, "Idempotency-Key", "bad key").status())
                .isEqualTo(400);
    }

    @Test
    void aKeyIsForgottenAfterADay() {
        Api.Reply first = acme.post("/api/v1/jobs", spec("day"), "Idempotency-Key", "key-day");
        acme.post(first.header("Location") + "/cancel", "");
        jdbc.sql("update idempotency set created_at = now() - interval '25 hours' where key = 'key-day'")
                .update();
        Api.Reply later = acme.post("/api/v1/jobs", spec("day"), "Idempotency-Key", "key-day");
        assertThat(later.status()).isEqualTo(201);
        assertThat(later.json().get("id")).isNotEqualTo(first.json().get("id"));
    }

    @Test
    void anExpiredKeyUsedBySeveralAtOnceMakesOneJob() throws Exception {
        acme.post("/api/v1/jobs", spec("expired-before"), "Idempotency-Key", "key-expired");
        jdbc.sql("update idempotency set created_at = now() - interval '25 hours' where key = 'key-expired'")
                .update();
        Callable<Api.Reply> call =
                () -> acme.post("/api/v1/jobs", spec("expired-after"), "Idempotency-Key", "key-expired");
        List<String> texts = new ArrayList<>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<Api.Reply> reply : threads.invokeAll(java.util.Collections.nCopies(8, call))) {
                assertThat(reply.get().status()).isEqualTo(201);
                texts.add(reply.get().text());
            }
        }
        assertThat(texts).containsOnly(texts.getFirst());
    }

    @Test
    void twoSubmissionsOfOneNameAtOnceMakeOneJob() throws Exception {
        Callable<Api.Reply> call = () -> acme.post("/api/v1/jobs", spec("race"));
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Integer> statuses = new ArrayList<>();
            for (Future<Api.Reply> reply : threads.invokeAll(java.util.Collections.nCopies(8, call))) {
                statuses.add(reply.get().status());
            }
            assertThat(statuses).containsOnlyOnce(201).allMatch(status -> status == 201 || status == 409);
        }
    }

    @Test
    void tenThousandHostileSpecsNeverBreakTheServiceAndAreAlwaysToldWhatIsWrong() throws Exception {
        HostileSpecs specs = new HostileSpecs(20261129, HOSTILE_SEED);
        List<String> bodies = IntStream.range(0, HOSTILE).mapToObj(specs::next).toList();
        Set<Integer> seen = new HashSet<>();
        try (var threads = Executors.newFixedThreadPool(4)) {
            List<Future<Integer>> answers = new ArrayList<>();
            for (int i = 0; i < bodies.size(); i++) {
                int number = i;
                answers.add(threads.submit(() -> judged(number, bodies.get(number))));
            }
            for (Future<Integer> answer : answers) {
                seen.add(answer.get());
            }
        }
        assertThat(seen).contains(200, 201, 400, 413);
    }

    private static final String HOSTILE_SEED = """
            {"name": "a", "project": "llm", "queue": "default", "kind": "fine-tuning", "priority": "high",
             "runtime": {"command": ["python3", "train.py"], "args": ["--lr"], "workingDir": "/data", "env": {"A": "b"}, "client": true,
                         "image": "img", "envProfile": "torchrun"},
             "resources": {"nodes": 4, "gpusPerNode": 8, "processesPerNode": 8, "gpuTypes": ["H200"], "minDriverVersion": "535.1"},
             "topology": {"within": "pod", "mode": "required", "spread": {"domain": "rack", "maxNodes": 2}, "avoidNodes": ["r1-n2"]},
             "checkpoint": {"uri": "store://llm", "interval": "20 steps", "resumeFrom": "latest"},
             "faultTolerance": {"platformRestarts": 0}, "limits": {"maxRuntime": "14d"}, "labels": {"team": "nlp"}}""";

    private int judged(int number, String body) {
        String path = number % 2 == 0 ? "/api/v1/jobs" : "/api/v1/jobs?dryRun=true";
        Api.Reply reply = acme.post(path, body);
        String what = "spec %d: %s -> %d %s"
                .formatted(number, body.substring(0, Math.min(2000, body.length())), reply.status(), reply.text());
        assertThat(reply.status()).as(what).isLessThan(500);
        if (reply.status() >= 300) {
            JsonNode problem = reply.json();
            assertThat(problem.get("code").stringValue()).as(what).isNotBlank();
            assertThat(problem.get("detail").stringValue()).as(what).isNotBlank();
            if (problem.get("code").stringValue().equals("INVALID_SPEC")) {
                assertThat(problem.get("violations").isEmpty()).as(what).isFalse();
                problem.get("violations").forEach(violation -> {
                    assertThat(violation.get("pointer").isString()).as(what).isTrue();
                    assertThat(violation.get("message").stringValue()).as(what).isNotBlank();
                });
            }
        }
        return reply.status();
    }
}
