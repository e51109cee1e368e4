package io.muster.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muster.contract.id.QueuePath;
import io.muster.contract.job.DomainType;
import io.muster.contract.job.GangRequest;
import io.muster.contract.job.PlacementMode;
import io.muster.contract.node.HoldEffect;
import io.muster.contract.node.HoldScope;
import io.muster.contract.node.NodeState;
import io.muster.contract.scheduling.FeasibilityAnswer;
import io.muster.contract.scheduling.FeasibilityRequest;
import io.muster.contract.scheduling.FeasibilityVerdict;
import io.muster.edge.identity.Role;
import io.muster.testing.TestDatabases;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * What can be asked. Four nodes in two racks: one is under a hold, one has a vetoed GPU, six GPUs of one are in use; a
 * gang of another tenant is first in line.
 */
class QueriesTest {

    @TempDir
    static Path keys;

    private static FakeOwners owners;
    private static RunningScheduler scheduler;
    private static FeasibilityVerdict beforeAnyNode;

    @BeforeAll
    static void start() {
        owners = new FakeOwners();
        scheduler = RunningScheduler.start(TestDatabases.fresh("ask"), keys);
        beforeAnyNode = ask(Given.gang(1, 1)).verdict();
        owners.publish(Given.tree(1, 20L));
        List<NodeState> nodes = new ArrayList<>(Given.cluster(2, 2));
        nodes.set(2, Given.with(nodes.get(2), Given.hold(HoldScope.NODE, "r2-n1", HoldEffect.NO_NEW_WORK, "CORDONED")));
        nodes.set(3, vetoedGpu(nodes.get(3)));
        owners.publish(nodes);
        scheduler.awaitGpus(32);
        owners.publish(Given.queued(Given.job(1), Given.gang(1, 6)));
        await().until(() -> !owners.placements(Given.job(1)).isEmpty());
        owners.publish(Given.queued(Given.job(2), Given.OTHER, Given.RESEARCH, Given.gang(3, 5), 9));
        owners.publish(Given.queued(Given.job(3), Given.ACME, Given.RESEARCH, Given.gang(2, 8), 5));
        owners.publish(Given.queued(Given.job(4), Given.ACME, QueuePath.of("public"), Given.gang(4, 8), 1));
        await().until(() -> pending(Role.ADMIN, "research").path("items").size() == 2
                && pending(Role.ADMIN, "public").path("items").size() == 1);
    }

    @AfterAll
    static void stop() {
        scheduler.close();
        owners.close();
    }

    private static NodeState vetoedGpu(NodeState node) {
        var gpus = new ArrayList<>(Given.gpus("H200", 7));
        gpus.add(Given.gpu(7, "H200", true));
        return new NodeState(
                node.node(),
                node.condition(),
                1,
                Given.facts(node.node(), "rack-2", gpus),
                List.of(),
                Given.NOON,
                false);
    }

    @Test
    void beforeAnyNodeIsKnownNothingIsJudged() {
        assertThat(beforeAnyNode).isEqualTo(FeasibilityVerdict.UNKNOWN);
    }

    @Test
    void feasibilityKnowsNowLaterAndNever() {
        assertThat(ask(Given.gang(1, 8)).verdict()).isEqualTo(FeasibilityVerdict.CAN_START_NOW);
        FeasibilityAnswer later = ask(Given.gang(3, 8));
        assertThat(later.verdict()).isEqualTo(FeasibilityVerdict.CAN_START_LATER);
        assertThat(later.explanation()).isNotNull();
        FeasibilityAnswer never = ask(Given.gang(5, 8));
        assertThat(never.verdict()).isEqualTo(FeasibilityVerdict.NEVER_FITS);
        assertThat(never.explanation().sentence()).contains("5", "4");
        assertThat(never.explanation().numbers()).containsEntry("requestedNodes", 5L);
        assertThat(ask(Given.gang(3, 8, DomainType.RACK)).verdict()).isEqualTo(FeasibilityVerdict.NEVER_FITS);
        assertThat(ask(Given.gang(1, 100)).verdict()).isEqualTo(FeasibilityVerdict.NEVER_FITS);
        assertThat(ask(withDriver("no version")).explanation().sentence()).contains("no version");
    }

    private static GangRequest withDriver(String driver) {
        return new GangRequest(
                1, 8, List.of(), driver, true, DomainType.CLUSTER, PlacementMode.REQUIRED, null, List.of());
    }

    @Test
    void theExplanationOfAWaitingJobHasNumbersAndNamesNobody() {
        JsonNode why = scheduler
                .asService("/internal/services/jobs/" + Given.job(3) + "/explanation")
                .body();

        assertThat(why.path("reason").asString("")).isEqualTo("WAITING_FOR_QUOTA");
        assertThat(why.path("numbers").path("requestedGpus").asLong()).isEqualTo(16);
        assertThat(why.path("numbers").path("quotaLimitGpus").asLong()).isEqualTo(20);
        assertThat(why.path("numbers").path("position").asLong()).isEqualTo(2);
        assertThat(why.path("sentence").asString("")).contains("20");
        assertThat(why.toString()).doesNotContain(Given.job(2).value());
        assertThat(scheduler
                        .asService("/internal/services/jobs/" + Given.job(1) + "/explanation")
                        .status())
                .isEqualTo(404);
        assertThat(scheduler
                        .asService("/internal/services/jobs/nonsense/explanation")
                        .status())
                .isEqualTo(400);
    }

    @Test
    void everyGpuIsCountedOnce() {
        JsonNode capacity = scheduler
                .asUser(Given.ACME, Role.VIEWER, "/api/v1/cluster/capacity")
                .body();

        JsonNode h200 = capacity.path("models").get(0);
        assertThat(h200.path("model").asString("")).isEqualTo("H200");
        assertThat(h200.path("total").asInt()).isEqualTo(32);
        assertThat(h200.path("allocated").asInt()).isEqualTo(6);
        assertThat(h200.path("held").asInt()).as("a node of 8 and a vetoed GPU").isEqualTo(9);
        assertThat(h200.path("free").asInt()).isEqualTo(17);
        assertThat(capacity.path("nodes"))
                .hasToString("[{\"condition\":\"HEALTHY\",\"nodes\":3},{\"condition\":\"QUARANTINED\",\"nodes\":1}]");
    }

    @Test
    void theLargestGangIsCountedPerLevelAndModel() {
        JsonNode whole = largest("").path("models").get(0);
        assertThat(whole.path("gpusPerNode").asInt()).isEqualTo(8);
        assertThat(nodesAt(whole, "CLUSTER")).isEqualTo(2);

        JsonNode small = largest("?gpusPerNode=1").path("models").get(0);
        assertThat(nodesAt(small, "NODE")).isEqualTo(1);
        assertThat(nodesAt(small, "RACK")).isEqualTo(2);
        assertThat(nodesAt(small, "CLUSTER")).isEqualTo(3);
        assertThat(scheduler
                        .asUser(Given.ACME, Role.VIEWER, "/api/v1/cluster/largest-gang?gpusPerNode=0")
                        .status())
                .isEqualTo(400);
    }

    private static JsonNode largest(String query) {
        return scheduler
                .asUser(Given.ACME, Role.VIEWER, "/api/v1/cluster/largest-gang" + query)
                .body();
    }

    private static int nodesAt(JsonNode model, String level) {
        for (JsonNode at : model.path("levels")) {
            if (at.path("level").asString("").equals(level)) {
                return at.path("nodes").asInt();
            }
        }
        throw new AssertionError("no level " + level + " in " + model);
    }

    @Test
    void theLineShowsOthersByPlaceAndSizeOnly() {
        JsonNode line = pending(Role.VIEWER, "research").path("items");

        assertThat(line).hasSize(2);
        assertThat(line.get(0).path("position").asInt()).isEqualTo(1);
        assertThat(line.get(0).path("gpus").asInt()).isEqualTo(15);
        assertThat(line.get(0).toString())
                .doesNotContain(Given.job(2).value())
                .doesNotContain("name-of")
                .doesNotContain("llm");
        assertThat(line.get(1).path("jobId").asString(""))
                .isEqualTo(Given.job(3).value());
        assertThat(line.get(1).path("name").asString(""))
                .isEqualTo("name-of-" + Given.job(3).value());
        assertThat(pending(Role.SRE, "research")
                        .path("items")
                        .get(0)
                        .path("jobId")
                        .asString(""))
                .isEqualTo(Given.job(2).value());
    }

    @Test
    void theLineComesInPages() {
        JsonNode first = pending(Role.SRE, "research?pageSize=1");
        assertThat(first.path("items")).hasSize(1);
        String token = first.path("nextPageToken").asString("");
        JsonNode second = pending(Role.SRE, "research?pageSize=1&pageToken=" + token);
        assertThat(second.path("items").get(0).path("position").asInt()).isEqualTo(2);
        assertThat(second.path("nextPageToken").isNull()
                        || second.path("nextPageToken").isMissingNode())
                .isTrue();
        for (String wrong : List.of(
                "research?pageSize=0", "research?pageSize=501", "research?pageToken=MQ!", "research?pageToken=LTE")) {
            assertThat(scheduler
                            .asUser(Given.ACME, Role.SRE, "/api/v1/queues/" + wrong.replace("?", "/pending?"))
                            .status())
                    .as(wrong)
                    .isEqualTo(400);
        }
    }

    @Test
    void aQueueOfAnotherTenantDoesNotExist() {
        for (String queue : List.of("private", "nowhere", "no such queue".replace(' ', '+'))) {
            var answer = scheduler.asUser(Given.ACME, Role.ENGINEER, "/api/v1/queues/" + queue + "/pending");
            assertThat(answer.status()).as(queue).isEqualTo(404);
            assertThat(answer.body().path("code").asString("")).isEqualTo("UNKNOWN_QUEUE");
        }
        assertThat(scheduler
                        .asUser(Given.OTHER, Role.VIEWER, "/api/v1/queues/private/pending")
                        .status())
                .isEqualTo(200);
        assertThat(scheduler
                        .asUser(Given.ACME, Role.SRE, "/api/v1/queues/private/pending")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void metricsAndHealthSayWhatIsGoingOn() {
        String metrics = scheduler.text("/actuator/prometheus");
        assertThat(metrics)
                .contains("muster_gpus{", "state=\"allocated\"} 6.0", "state=\"free\"} 17.0", "state=\"held\"} 9.0")
                // the job of six lies on the node with a vetoed GPU; two nodes are free as a whole
                .contains("muster_gpus_fragmented 1.0")
                .contains("muster_scheduling_cycle_seconds_count")
                .contains("muster_scheduling_decisions_total{", "outcome=\"placed\"} 1.0")
                .contains("muster_placement_goal_rejections_total{", "goal=\"HELD\"")
                .contains("muster_largest_gang_nodes{", "level=\"rack\"")
                .contains("muster_jobs_waiting{", "reason=\"WAITING_FOR_QUOTA\"")
                .contains("muster_leader_epoch");
        var health = scheduler.asNobody("/actuator/health");
        assertThat(health.status()).isEqualTo(200);
    }

    @Test
    void nobodyAsksWithoutAToken() {
        assertThat(scheduler.asNobody("/api/v1/cluster/capacity").status()).isEqualTo(401);
        assertThat(scheduler.asNobody("/internal/services/placements").status()).isEqualTo(401);
        assertThat(scheduler
                        .asUser(Given.ACME, Role.ADMIN, "/internal/services/placements")
                        .status())
                .isIn(401, 403, 404);
    }

    private static FeasibilityAnswer ask(GangRequest gang) {
        return scheduler.read(
                scheduler
                        .asService(
                                "/internal/services/feasibility",
                                new FeasibilityRequest(Given.ACME, Given.LLM, QueuePath.of("public"), 5, gang))
                        .body(),
                FeasibilityAnswer.class);
    }

    private static JsonNode pending(Role role, String queueAndQuery) {
        String path =
                queueAndQuery.contains("?") ? queueAndQuery.replace("?", "/pending?") : queueAndQuery + "/pending";
        return scheduler.asUser(Given.ACME, role, "/api/v1/queues/" + path).body();
    }
}
