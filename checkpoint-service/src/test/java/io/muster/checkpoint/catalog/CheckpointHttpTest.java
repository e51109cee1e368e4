package io.muster.checkpoint.catalog;

import static io.muster.checkpoint.catalog.Checkpoints.shard;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.checkpoint.CheckpointSystem;
import io.muster.checkpoint.Http;
import io.muster.checkpoint.Keys;
import io.muster.contract.EventType;
import io.muster.contract.Topics;
import io.muster.contract.checkpoint.CheckpointState;
import io.muster.contract.checkpoint.ReportShards;
import io.muster.contract.checkpoint.ReserveCheckpoint;
import io.muster.contract.checkpoint.RestoreRequest;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import io.muster.contract.job.DomainType;
import io.muster.contract.placement.PlacedMember;
import io.muster.contract.placement.PlacementState;
import io.muster.edge.id.Ids;
import io.muster.edge.identity.Role;
import io.muster.messaging.Outbox;
import io.muster.messaging.OutgoingEvent;
import io.muster.testing.TestBroker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@CheckpointSystem
class CheckpointHttpTest {

    private static final String JOB_SERVICE = Keys.service("job", "checkpoint");
    private static final TenantId TENANT = new TenantId("research");

    @Autowired
    private Http http;

    @Autowired
    private Outbox outbox;

    @Autowired
    private TransactionTemplate transactions;

    @Autowired
    private JdbcClient jdbc;

    @Autowired
    private JsonMapper json;

    @Autowired
    private Ids ids;

    private JobId job;

    @BeforeEach
    void newJob() {
        job = ids.newJobId();
    }

    @Test
    void aGangSavesAndTheNextAttemptRestoresAndTheCommitIsPublished() {
        place(1, null, "n1", "n2");
        assertThat(restore(1).body().path("verdict").asString()).isEqualTo("FRESH");
        String id = reserve("n1", 1, 10).body().path("checkpointId").asString();
        assertThat(reserve("n2", 1, 10).body().path("checkpointId").asString()).isEqualTo(id);
        assertThat(report("n1", id, 1, 10, shard(0, "a")).body().path("phase").asString())
                .isEqualTo("RESERVED");
        JsonNode last = report("n2", id, 1, 10, shard(1, "bb")).body();
        assertThat(last.path("phase").asString()).isEqualTo("COMMITTED");
        assertThat(last.path("ranksStored").asInt()).isEqualTo(2);

        JsonNode restored = restore(2).body();
        assertThat(restored.path("verdict").asString()).isEqualTo("RESTORED");
        assertThat(restored.path("checkpointId").asString()).isEqualTo(id);
        assertThat(restored.path("shards").findValuesAsString("path"))
                .containsExactly(Checkpoints.path(job, id, 0), Checkpoints.path(job, id, 1));

        CheckpointState published = published();
        assertThat(published.checkpointId().value()).isEqualTo(id);
        assertThat(published.step()).isEqualTo(10);
        assertThat(published.sizeBytes()).isEqualTo(3);
        assertThat(published.tenant()).isEqualTo(TENANT);
        assertThat(http.get(JOB_SERVICE, "/actuator/prometheus").text())
                .contains(
                        "muster_checkpoints_committed_total",
                        "muster_checkpoints_abandoned_total",
                        "muster_checkpoint_fenced_total",
                        "muster_checkpoint_write_seconds_count");
    }

    @Test
    void aLateMemberHearsFenced() {
        place(1, null, "n1");
        restore(1);
        String id = reserve("n1", 1, 10).body().path("checkpointId").asString();
        restore(2);
        var answer = report("n1", id, 1, 10, shard(0, "a"));
        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.type()).startsWith("application/problem+json");
        assertThat(answer.body().path("code").asString()).isEqualTo("FENCED");
        assertThat(answer.body().path("retryable").asBoolean()).isFalse();
        assertThat(reserve("n1", 1, 20).body().path("refusal").asString()).contains("attempt 2 has begun");
        assertThat(plan("n1", 1, 5, 60).body().path("code").asString()).isEqualTo("FENCED");
    }

    @Test
    void onlyMembersOfTheJobSpeakForIt() {
        var early = reserve("n1", 1, 10);
        assertThat(early.status()).isEqualTo(409);
        assertThat(early.body().path("code").asString()).isEqualTo("NOT_PLACED_HERE");
        assertThat(early.body().path("retryable").asBoolean()).isTrue();

        place(1, null, "n1");
        restore(1);
        String id = reserve("n1", 1, 10).body().path("checkpointId").asString();
        for (var answer : List.of(reserve("n9", 1, 10), report("n9", id, 1, 10, shard(0, "a")), plan("n9", 1, 5, 60))) {
            assertThat(answer.status()).isEqualTo(409);
            assertThat(answer.body().path("code").asString()).isEqualTo("NOT_PLACED_HERE");
            assertThat(answer.body().path("detail").asString()).contains("n9", "generation 1");
        }
        assertThat(jdbc.sql("select count(*) from checkpoint_shard where checkpoint_id = ?")
                        .param(id)
                        .query(Long.class)
                        .single())
                .isZero();
    }

    @Test
    void aMemberReportsItsOwnRanksInTheFolderOfTheCheckpointOnly() {
        place(1, null, "n1", "n2");
        restore(1);
        String id = reserve("n1", 1, 10).body().path("checkpointId").asString();
        var foreign = report("n1", id, 1, 10, shard(1, "a"));
        assertThat(foreign.status()).isEqualTo(409);
        assertThat(foreign.body().path("code").asString()).isEqualTo("RANK_ELSEWHERE");
        assertThat(foreign.body().path("detail").asString())
                .isEqualTo("Node n1 reports rank 1 of the 2 of " + job
                        + "; its own are 0 to 0 (node rank 0 of 2 in generation 1).");
        var stolen = http.post(
                Keys.node("n1"),
                "/internal/agents/n1/checkpoints/" + id + "/shards",
                new ReportShards(job, 1, 10, List.of(shard(0, "a"))));
        assertThat(stolen.status()).isEqualTo(400);
        assertThat(stolen.body().path("violations").path(0).path("pointer").asString())
                .isEqualTo("/shards/0/path");
        assertThat(stolen.body().path("violations").path(0).path("allowed").asString())
                .endsWith("/research/" + job + "/" + id + "/rank-0.shard");
        assertThat(jdbc.sql("select count(*) from checkpoint_shard where checkpoint_id = ?")
                        .param(id)
                        .query(Long.class)
                        .single())
                .isZero();
    }

    @Test
    void betweenTwoPlacementsANodeReportsTheRanksOfBothUntilTheFirstIsReleased() {
        place(1, null, "n1", "n2");
        place(2, null, "n2", "n3");
        restore(1);
        String id = reserve("n2", 1, 10).body().path("checkpointId").asString();
        assertThat(report("n2", id, 1, 10, shard(1, "b")).status()).isEqualTo(200);
        place(1, Instant.now(), "n1", "n2");
        String next = reserve("n2", 1, 20).body().path("checkpointId").asString();
        assertThat(report("n2", next, 1, 20, shard(1, "b")).status()).isEqualTo(409);
        assertThat(report("n2", next, 1, 20, shard(0, "a")).status()).isEqualTo(200);
    }

    @Test
    void aMemberOfAnEarlierGenerationSpeaksUntilItIsReleased() {
        place(1, null, "n1", "n2");
        restore(1);
        place(2, null, "n3");
        assertThat(reserve("n1", 1, 10).status()).isEqualTo(200);
        place(1, Instant.now(), "n1", "n2");
        assertThat(reserve("n1", 1, 10).status()).isEqualTo(409);
        assertThat(reserve("n3", 1, 10).status()).isEqualTo(200);
    }

    @Test
    void eachDoorIsForItsOwnCallers() {
        place(1, null, "n1");
        restore(1);
        var body = new ReserveCheckpoint(job, 1, 10, 2);
        String path = "/internal/agents/n1/checkpoints";
        assertThat(http.post(Keys.node("n2"), path, body).status()).isEqualTo(403);
        assertThat(http.post(JOB_SERVICE, path, body).status()).isEqualTo(403);
        assertThat(http.post(Keys.user("research", Role.ADMIN), path, body).status())
                .isEqualTo(403);
        assertThat(http.post("nonsense", path, body).status()).isEqualTo(401);
        var request = new RestoreRequest(job, TENANT, new ProjectId("llm"), 9, "latest", 2, List.of());
        for (String token :
                List.of(Keys.node("n1"), Keys.user("research", Role.ADMIN), Keys.service("job", "scheduler"))) {
            assertThat(http.post(token, "/internal/services/restores", request).status())
                    .isIn(401, 403);
        }
        assertThat(jdbc.sql("select fence from job_head where job_id = ?")
                        .param(job.value())
                        .query(Integer.class)
                        .single())
                .isEqualTo(1);
        assertThat(http.get(Keys.node("n1"), "/api/v1/jobs/" + job + "/checkpoints")
                        .status())
                .isEqualTo(403);
    }

    @Test
    void checkpointsAreSeenWithinTheirTenant() {
        place(1, null, "n1");
        restore(1);
        List<String> all = new ArrayList<>();
        for (int step = 1; step <= 5; step++) {
            all.addFirst(reserve("n1", 1, step).body().path("checkpointId").asString());
        }
        String own = Keys.user("research", Role.VIEWER);
        String path = "/api/v1/jobs/" + job + "/checkpoints?pageSize=2";
        List<String> listed = new ArrayList<>();
        for (String next = ""; next != null; ) {
            JsonNode page = http.get(own, path + next).body();
            assertThat(page.path("items").size()).isLessThanOrEqualTo(2);
            listed.addAll(page.path("items").findValuesAsString("id"));
            String token = page.path("nextPageToken").asStringOpt().orElse(null);
            next = token == null ? null : "&pageToken=" + token;
        }
        assertThat(listed).isEqualTo(all);

        String one = "/api/v1/checkpoints/" + all.getFirst();
        assertThat(http.get(own, one).body().path("step").asLong()).isEqualTo(5);
        assertThat(http.get(Keys.user("operators", Role.SRE), one).status()).isEqualTo(200);
        String foreign = Keys.user("other", Role.ENGINEER);
        assertThat(http.get(foreign, one).status()).isEqualTo(404);
        assertThat(http.get(foreign, path).status()).isEqualTo(404);
        assertThat(http.get(foreign, path).body().path("code"))
                .isEqualTo(http.get(foreign, "/api/v1/jobs/" + ids.newJobId() + "/checkpoints")
                        .body()
                        .path("code"));
        assertThat(http.get(own, "/api/v1/checkpoints/nonsense").status()).isEqualTo(404);
        assertThat(http.get(own, "/api/v1/jobs/nonsense/checkpoints").status()).isEqualTo(404);
    }

    @Test
    void allMembersSaveAtTheSameStep() {
        place(1, null, "n1", "n2");
        assertThat(plan("n1", 1, 0, 60).body().path("code").asString()).isEqualTo("ATTEMPT_NOT_BEGUN");
        restore(1);
        long first = plan("n1", 1, 3, 60).body().path("nextStep").asLong();
        assertThat(first).isGreaterThanOrEqualTo(5);
        for (long step = 0; step < first; step++) {
            assertThat(plan("n2", 1, step, 60).body().path("nextStep").asLong()).isEqualTo(first);
        }
        long second = plan("n2", 1, first, 60).body().path("nextStep").asLong();
        assertThat(second).isGreaterThanOrEqualTo(first + 2);
        assertThat(plan("n1", 1, first - 1, 60).body().path("nextStep").asLong())
                .isEqualTo(first);
        assertThat(plan("n1", 1, first, 60).body().path("nextStep").asLong()).isEqualTo(second);
        assertThat(plan("n1", 1, -1, 0).body().path("violations").findValuesAsString("pointer"))
                .containsExactly("/step", "/intervalSeconds");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"attempt\":0,\"step\":-1,\"worldSize\":0}",
                "{\"jobId\":null,\"attempt\":1,\"step\":1,\"worldSize\":1}",
                "{\"jobId\":\"nonsense\",\"attempt\":1,\"step\":1,\"worldSize\":1}",
                "[]",
                "null",
                "{",
                "{\"jobId\":\"job_00000001\",\"attempt\":1,\"step\":1,\"shards\":[null]}",
                "{\"jobId\":\"job_00000001\",\"attempt\":1,\"step\":1,\"shards\":null}",
                "{\"jobId\":\"job_00000001\",\"tenant\":null,\"project\":\"llm\",\"attempt\":1,\"resumeFrom\":null,\"worldSize\":1}"
            })
    void whatCannotBeARequestIsRefusedNotAFault(String body) {
        String node = Keys.node("n1");
        for (var answer : List.of(
                http.post(node, "/internal/agents/n1/checkpoints", body),
                http.post(node, "/internal/agents/n1/checkpoints/chk_00000001/shards", body),
                http.post(JOB_SERVICE, "/internal/services/restores", body))) {
            assertThat(answer.status()).as(body + " -> " + answer.text()).isBetween(400, 499);
        }
    }

    @Test
    void theOpenApiDocumentHasThePublicPathsOnly() {
        assertThat(http.get(JOB_SERVICE, "/v3/api-docs").body().path("paths").propertyNames())
                .containsExactlyInAnyOrder("/api/v1/jobs/{id}/checkpoints", "/api/v1/checkpoints/{id}");
    }

    private Http.Answer restore(int attempt) {
        return http.post(
                JOB_SERVICE,
                "/internal/services/restores",
                new RestoreRequest(job, TENANT, new ProjectId("llm"), attempt, "latest", 2, List.of()));
    }

    private Http.Answer reserve(String node, int attempt, long step) {
        return http.post(
                Keys.node(node),
                "/internal/agents/" + node + "/checkpoints",
                new ReserveCheckpoint(job, attempt, step, 2));
    }

    private Http.Answer report(String node, String id, int attempt, long step, StoredShard... shards) {
        return http.post(
                Keys.node(node),
                "/internal/agents/" + node + "/checkpoints/" + id + "/shards",
                new ReportShards(
                        job,
                        attempt,
                        step,
                        Stream.of(shards)
                                .map(shard -> Checkpoints.of(job, id, shard))
                                .toList()));
    }

    private Http.Answer plan(String node, int attempt, long step, long seconds) {
        return http.get(
                Keys.node(node),
                "/internal/agents/" + node + "/jobs/" + job + "/save-plan?attempt=" + attempt + "&step=" + step
                        + "&intervalSeconds=" + seconds);
    }

    private long sequence;

    /** As the scheduler says it, through the broker; returns when it has been heard. */
    private void place(int generation, @Nullable Instant until, String... nodes) {
        List<PlacedMember> members = new ArrayList<>();
        for (String node : nodes) {
            members.add(new PlacedMember(members.size(), new NodeId(node), List.of(0), Instant.now(), until));
        }
        var state = new PlacementState(
                job,
                TENANT,
                new ProjectId("llm"),
                new QueuePath("default"),
                generation,
                1,
                members,
                DomainType.RACK,
                "r1",
                Instant.now(),
                until,
                List.of(),
                null);
        sequence++;
        transactions.executeWithoutResult(status -> outbox.append(new OutgoingEvent(
                Topics.PLACEMENTS, job.value(), EventType.GANG_PLACED.type(), "jobs/" + job, sequence, state)));
        await(() -> jdbc.sql("""
                                select count(*) from job_member
                                where job_id = ? and generation = ? and released = ?""")
                        .params(job.value(), generation, until != null)
                        .query(Integer.class)
                        .single()
                == nodes.length);
    }

    private static void await(BooleanSupplier condition) {
        for (int i = 0; i < 600; i++) {
            if (condition.getAsBoolean()) {
                return;
            }
            try {
                Thread.sleep(50);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        throw new AssertionError("waited 30 s for a placement");
    }

    private CheckpointState published() {
        try (var consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        TestBroker.bootstrapServers(),
                        "group.id",
                        "test-" + job,
                        "auto.offset.reset",
                        "earliest",
                        "isolation.level",
                        "read_committed"),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.subscribe(List.of(Topics.CHECKPOINTS));
            for (int poll = 0; poll < 150; poll++) {
                for (ConsumerRecord<String, String> found : consumer.poll(Duration.ofMillis(200))) {
                    if (job.value().equals(found.key())) {
                        JsonNode event = json.readTree(found.value());
                        return json.treeToValue(event.has("data") ? event.path("data") : event, CheckpointState.class);
                    }
                }
            }
        }
        throw new AssertionError("no commit of " + job + " on " + Topics.CHECKPOINTS);
    }
}
