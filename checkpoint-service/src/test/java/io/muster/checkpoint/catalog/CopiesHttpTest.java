package io.muster.checkpoint.catalog;

import static io.muster.checkpoint.catalog.Checkpoints.shard;
import static io.muster.checkpoint.catalog.Gang.held;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.checkpoint.CheckpointSystem;
import io.muster.checkpoint.Http;
import io.muster.checkpoint.Keys;
import io.muster.contract.EventType;
import io.muster.contract.Topics;
import io.muster.contract.checkpoint.ReportShards;
import io.muster.contract.checkpoint.ReserveCheckpoint;
import io.muster.contract.checkpoint.RestoreRequest;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.job.DomainType;
import io.muster.contract.node.Hold;
import io.muster.contract.node.HoldEffect;
import io.muster.contract.node.HoldScope;
import io.muster.contract.node.NodeCondition;
import io.muster.contract.node.NodeDomains;
import io.muster.contract.node.NodeFacts;
import io.muster.contract.node.NodeState;
import io.muster.contract.placement.PlacedMember;
import io.muster.contract.placement.PlacementState;
import io.muster.edge.id.Ids;
import io.muster.edge.identity.Role;
import io.muster.messaging.Outbox;
import io.muster.messaging.OutgoingEvent;
import java.time.Instant;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.JsonNode;

/** A gang of two nodes in two racks, as agents, job-service, health-service and people see it. */
@CheckpointSystem
class CopiesHttpTest {

    private static final String JOB_SERVICE = Keys.service("job", "checkpoint");
    private static final String PERSON = Keys.user("research", Role.VIEWER);

    @Autowired
    private Http http;

    @Autowired
    private Outbox outbox;

    @Autowired
    private TransactionTemplate transactions;

    @Autowired
    private JdbcClient jdbc;

    @Autowired
    private Ids ids;

    private JobId job;
    private String left;
    private String right;

    @BeforeEach
    void aPlacedGang() {
        job = ids.newJobId();
        left = "left-" + job.value().substring(4);
        right = "right-" + job.value().substring(4);
        tell(left, 1, 3, "r1", null);
        tell(right, 1, 3, "r2", null);
        var members = List.of(
                new PlacedMember(0, new NodeId(left), List.of(0), Instant.now(), null),
                new PlacedMember(1, new NodeId(right), List.of(0), Instant.now(), null));
        publish(
                Topics.PLACEMENTS,
                job.value(),
                EventType.GANG_PLACED,
                1,
                new PlacementState(
                        job,
                        Gang.TENANT,
                        Gang.PROJECT,
                        new QueuePath("default"),
                        1,
                        1,
                        members,
                        DomainType.POD,
                        "p1",
                        Instant.now(),
                        null,
                        List.of(),
                        null));
        await(() -> count("select count(*) from job_member where job_id = ?", job.value()) == 2);
        restore(1);
    }

    @Test
    void fromMemoryToTheStoreAsEveryoneSeesIt() {
        String id = reserve(10);
        JsonNode local = report(left, id, 10, held(0, "a", left)).body();
        assertThat(local.path("durability").isNull()).isTrue();
        assertThat(report(right, id, 10, held(1, "b", right, left))
                        .body()
                        .path("phase")
                        .asString())
                .isEqualTo("LOCAL");
        JsonNode waiting = view(id);
        assertThat(waiting.path("reason").asString()).contains("rank 0 is in the memory of " + left + " alone");
        assertThat(waiting.path("holders").asInt()).isEqualTo(2);

        JsonNode peer = report(left, id, 10, held(0, "a", left, right)).body();
        assertThat(peer.path("phase").asString()).isEqualTo("COMMITTED");
        assertThat(peer.path("durability").asString()).isEqualTo("PEER");
        JsonNode listed = http.get(PERSON, "/api/v1/jobs/" + job + "/checkpoints")
                .body()
                .path("items")
                .path(0);
        assertThat(listed.path("id").asString()).isEqualTo(id);
        assertThat(listed.path("durability").asString()).isEqualTo("PEER");
        assertThat(listed.path("holders").asInt()).isEqualTo(2);
        assertThat(listed.path("reason").isNull()).isTrue();

        report(left, id, 10, shard(0, "a"));
        assertThat(report(right, id, 10, shard(1, "b"))
                        .body()
                        .path("durability")
                        .asString())
                .isEqualTo("DURABLE");
        assertThat(view(id).path("durability").asString()).isEqualTo("DURABLE");
        assertThat(http.get(PERSON, "/api/v1/checkpoints/" + id).text())
                .as("where agents listen is not for people")
                .doesNotContain("127.1.0.9");
        assertThat(http.get(JOB_SERVICE, "/actuator/prometheus").text())
                .contains(
                        "muster_checkpoint_write_seconds_count{durability=\"PEER\"}",
                        "muster_checkpoint_write_seconds_count{durability=\"DURABLE\"}",
                        "muster_checkpoint_restored_older_total",
                        "muster_checkpoints_corrupt_total",
                        "muster_checkpoint_lost_work_seconds_count");
    }

    @Test
    void aHoldOrALostMemoryHeardOfFromHealthServiceTakesTheNodesCopiesAwayAndANewSessionDoesNot() {
        String id = reserve(10);
        report(left, id, 10, held(0, "a", left, right));
        report(right, id, 10, held(1, "b", right, left));
        tell(left, 2, 3, "r1", hold(left, HoldScope.GPU, HoldEffect.EVICT));
        assertThat(view(id).path("holders").asInt())
                .as("a hold on a GPU leaves the memory")
                .isEqualTo(2);
        tell(left, 3, 3, "r1", hold(left, HoldScope.NODE, HoldEffect.DRAIN));
        assertThat(view(id).path("holders").asInt()).isEqualTo(2);
        tell(left, 4, 3, "r1", hold("r1", HoldScope.DOMAIN, HoldEffect.EVICT));
        assertThat(view(id).path("holders").asInt()).isEqualTo(1);
        JsonNode restored = restore(2).body();
        assertThat(restored.path("checkpointId").asString()).isEqualTo(id);
        assertThat(restored.path("shards").path(0).path("holders").findValuesAsString("node"))
                .containsExactly(right);
        assertThat(restored.path("shards")
                        .path(0)
                        .path("holders")
                        .path(0)
                        .path("address")
                        .asString())
                .isEqualTo("127.1.0.9");
        assertThat(restored.path("shards")
                        .path(0)
                        .path("holders")
                        .path(0)
                        .path("port")
                        .asInt())
                .isEqualTo(7070);

        tell(right, 2, 4, "r2", null);
        assertThat(view(id).path("holders").asInt()).isZero();
        JsonNode fresh = restore(3).body();
        assertThat(fresh.path("verdict").asString()).isEqualTo("FRESH");
        assertThat(fresh.path("message").asString())
                .contains(id, left + " is lost (LEASE_EXPIRED)", right + " has lost its memory");
        assertThat(view(id).path("phase").asString()).isEqualTo("COMMITTED");
    }

    @Test
    void aDamagedOneIsStillSeenWithWhoFoundItAndWhy() {
        String older = reserve(10);
        report(left, older, 10, shard(0, "a"));
        report(right, older, 10, shard(1, "b"));
        String newest = reserve(20);
        report(left, newest, 20, shard(0, "a"));
        report(right, newest, 20, shard(1, "b"));
        restore(2);
        assertThat(restore(3, new CheckpointId(newest))
                        .body()
                        .path("checkpointId")
                        .asString())
                .isEqualTo(older);
        JsonNode corrupt = view(newest);
        assertThat(corrupt.path("phase").asString()).isEqualTo("CORRUPT");
        assertThat(corrupt.path("reason").asString()).contains("attempt 2 of " + job, "no whole copy");
        assertThat(corrupt.path("shards").size()).isEqualTo(2);
        assertThat(http.get(PERSON, "/api/v1/jobs/" + job + "/checkpoints")
                        .body()
                        .path("items")
                        .findValuesAsString("phase"))
                .containsExactly("CORRUPT", "COMMITTED");
    }

    @Test
    void aReportThatNamesNoCopyOrHoldersWithoutNodesIsRefused() {
        String id = reserve(10);
        assertThat(report(left, id, 10, held(0, "a")).body().path("code").asString())
                .isEqualTo("INVALID_REQUEST");
        String body =
                "{\"jobId\":\"%s\",\"attempt\":1,\"step\":10,\"shards\":[{\"rank\":0,\"sizeBytes\":1,\"sha256\":\"%s\",\"holders\":[%s]}]}";
        for (String holders : List.of("{}", "null", "{\"node\":null,\"port\":0}", "{\"node\":\"UPPER\",\"port\":0}")) {
            var answer = http.post(
                    Keys.node(left),
                    "/internal/agents/" + left + "/checkpoints/" + id + "/shards",
                    body.formatted(job, Checkpoints.sha("a"), holders));
            assertThat(answer.status()).as(holders + " -> " + answer.text()).isEqualTo(400);
        }
    }

    private JsonNode view(String id) {
        return http.get(PERSON, "/api/v1/checkpoints/" + id).body();
    }

    private Http.Answer restore(int attempt, CheckpointId... damaged) {
        return http.post(
                JOB_SERVICE,
                "/internal/services/restores",
                new RestoreRequest(job, Gang.TENANT, Gang.PROJECT, attempt, "latest", 2, List.of(damaged)));
    }

    private String reserve(long step) {
        return http.post(
                        Keys.node(left),
                        "/internal/agents/" + left + "/checkpoints",
                        new ReserveCheckpoint(job, 1, step, 2))
                .body()
                .path("checkpointId")
                .asString();
    }

    private Http.Answer report(String node, String id, long step, StoredShard... shards) {
        return http.post(
                Keys.node(node),
                "/internal/agents/" + node + "/checkpoints/" + id + "/shards",
                new ReportShards(
                        job,
                        1,
                        step,
                        Stream.of(shards)
                                .map(shard -> Checkpoints.of(job, id, shard))
                                .toList()));
    }

    private static Hold hold(String target, HoldScope scope, HoldEffect effect) {
        return new Hold(
                "hold_" + scope + effect,
                scope,
                target,
                effect,
                "LEASE_EXPIRED",
                "not heard for 3 s",
                "health",
                3,
                Instant.now(),
                null);
    }

    /** As health-service says it, through the broker; returns when it has been heard. */
    private void tell(String node, long sequence, int boot, String rack, @Nullable Hold hold) {
        var facts = new NodeFacts(
                new NodeId(node),
                "0.1.0",
                "127.1.0.9",
                7070,
                new NodeDomains(rack, "w-" + rack, "p1", "local"),
                "simulated",
                "1",
                List.of(),
                2,
                1L << 30,
                "boot " + boot);
        long session = sequence;
        publish(
                Topics.NODES,
                node,
                EventType.NODE_CHANGED,
                sequence,
                new NodeState(
                        new NodeId(node),
                        NodeCondition.HEALTHY,
                        session,
                        facts,
                        hold == null ? List.of() : List.of(hold),
                        Instant.now(),
                        false));
        await(() -> count(
                        "select count(*) from inbox_key where subscription = 'checkpoint-nodes' and key = ? and sequence >= "
                                + sequence,
                        node)
                > 0);
    }

    private void publish(String topic, String key, EventType type, long sequence, Object data) {
        transactions.executeWithoutResult(
                status -> outbox.append(new OutgoingEvent(topic, key, type.type(), "test/" + key, sequence, data)));
    }

    private long count(String sql, String key) {
        return jdbc.sql(sql).param(key).query(Long.class).single();
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
        throw new AssertionError("waited 30 s for an event");
    }
}
