package io.muster.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.EventType;
import io.muster.contract.node.CheckResult;
import io.muster.contract.node.CheckStatus;
import io.muster.contract.node.Fitness;
import io.muster.contract.node.Hold;
import io.muster.contract.node.HoldEffect;
import io.muster.contract.node.NodeCondition;
import io.muster.contract.node.NodeState;
import io.muster.edge.identity.Role;
import io.muster.health.NodeEvents.Told;
import io.muster.health.RunningService.Answer;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The whole service over HTTP, with a real database and broker. Every test has nodes of its own. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HealthServiceTest {

    private static final AtomicInteger COUNT = new AtomicInteger();

    private RunningService service;
    private TestAgent keeper;

    @BeforeAll
    void start(@TempDir Path folder) {
        service = RunningService.start(folder, "health_http");
        Eventually.holds("a judge", service::judges, () -> "no judge");
        // somebody is always heard: else no lease expires
        keeper = new TestAgent(service, "keeper").lives(target -> false);
    }

    @AfterAll
    void stop() {
        keeper.close();
        service.close();
    }

    @Test
    void anUnfitNewNodeGetsNoWorkUntilItsChecksPass() {
        TestAgent agent = new TestAgent(service, fresh()).joins();
        assertThat(agent.condition()).isEqualTo("VALIDATING");
        assertThat(agent.beats(TestNodes.allPassBut("disk_space", CheckStatus.FAIL, now()), List.of())
                        .registerAgain())
                .isFalse();

        assertThat(agent.causes()).containsExactly("ADMISSION", "CHECK_FAILED");
        JsonNode node = agent.view();
        assertThat(node.get("holds").get(1).get("message").asString())
                .contains("disk_space")
                .contains("3 of 10");
        assertThat(node.get("checks").toString()).contains("disk_space").contains("clock_offset");
        try (agent) {
            agent.beatsOn(target -> true);
            Eventually.holds("admitted", () -> agent.causes().isEmpty(), () -> agent.view());
        }
        assertThat(agent.condition()).isEqualTo("HEALTHY");
    }

    @Test
    void aLostLeaseHoldsTheNodeUntilItHasRegisteredAndPassedItsChecks() {
        TestAgent agent = new TestAgent(service, fresh()).lives(target -> true);
        Eventually.holds("admitted", () -> agent.causes().isEmpty(), () -> agent.view());
        long session = agent.registration().session();
        agent.falls();
        Eventually.holds("lost", () -> agent.causes().contains("LEASE_EXPIRED"), () -> agent.view());

        Fitness lost = agent.fitness();
        assertThat(lost.leaseAlive()).isFalse();
        assertThat(lost.evicted()).isTrue();
        assertThat(lost.holds()).singleElement().satisfies(hold -> {
            assertThat(hold.effect()).isEqualTo(HoldEffect.EVICT);
            assertThat(hold.session()).isEqualTo(session);
            assertThat(hold.owner()).isEqualTo("health");
        });
        List<CheckResult> zombies = TestNodes.allPass(now());
        assertThat(agent.beats(zombies, List.of()).registerAgain()).isTrue();
        assertThat(agent.causes()).containsExactly("LEASE_EXPIRED");
        agent.registers();
        assertThat(agent.registration().session()).isEqualTo(session + 1);
        assertThat(agent.causes()).as("a new session lifts nothing").containsExactly("LEASE_EXPIRED");
        assertThat(agent.beats(session, zombies, List.of()).registerAgain()).isTrue();
        agent.beatsOn(target -> true);
        Eventually.holds("back", () -> agent.causes().isEmpty(), () -> agent.view());
        assertThat(agent.fitness().leaseAlive()).isTrue();
        agent.close();
        theEventsTellTheWholeStory(agent, session);
    }

    private void theEventsTellTheWholeStory(TestAgent agent, long session) {
        List<Told> told = new ArrayList<>();
        Eventually.holds(
                "all events",
                () -> {
                    told.clear();
                    told.addAll(NodeEvents.of(agent.node().value()));
                    return told.stream()
                            .anyMatch(event -> event.state().session() == session + 1
                                    && event.state().condition() == NodeCondition.HEALTHY);
                },
                () -> told);
        for (int i = 0; i < told.size(); i++) {
            assertThat(told.get(i).sequence()).isEqualTo(i + 1L);
        }
        assertThat(told.getFirst().type()).isEqualTo(EventType.NODE_REGISTERED.type());
        assertThat(told.getFirst().state().condition()).isEqualTo(NodeCondition.VALIDATING);
        assertThat(told.stream().map(Told::state))
                .anySatisfy((NodeState state) ->
                        assertThat(state.holds()).extracting(Hold::cause).contains("LEASE_EXPIRED"));
        assertThat(told.size()).as("not an event per heartbeat").isLessThan(10);
    }

    @Test
    void aCordonIsItsOwnersAndNobodyElsesToLift() {
        try (TestAgent agent = new TestAgent(service, fresh()).lives(target -> true)) {
            Eventually.holds("admitted", () -> agent.causes().isEmpty(), () -> agent.view());
            String path = "/api/v1/nodes/" + agent.node();
            Answer blank = service.asUser(Role.SRE, "POST", path + "/cordon", Map.of("reason", " "));
            assertThat(blank.status()).isEqualTo(400);
            assertThat(blank.body().get("violations").get(0).get("pointer").asString())
                    .isEqualTo("/reason");

            Answer cordoned =
                    service.asUser(Role.SRE, "key_a", "POST", path + "/cordon", Map.of("reason", "NIC, ticket 4711"));
            assertThat(cordoned.status()).isEqualTo(200);
            assertThat(cordoned.body().get("condition").asString()).isEqualTo("DRAINING");
            Answer stranger = service.asUser(Role.ADMIN, "key_b", "POST", path + "/uncordon", null);
            assertThat(stranger.status()).isEqualTo(409);
            assertThat(stranger.code()).isEqualTo("HOLD_OF_ANOTHER");
            assertThat(stranger.body().get("detail").asString())
                    .contains("key_a")
                    .contains("ticket 4711");
            assertThat(agent.causes()).containsExactly("CORDONED");
            assertThat(service.asUser(Role.SRE, "key_a", "POST", path + "/uncordon", null)
                            .status())
                    .isEqualTo(200);
            assertThat(service.asUser(Role.SRE, "key_a", "POST", path + "/uncordon", null)
                            .status())
                    .as("repeating is harmless")
                    .isEqualTo(200);
            assertThat(agent.causes()).isEmpty();
        }
    }

    @Test
    void listsAreFilteredAndPaged() {
        for (int i = 0; i < 3; i++) {
            new TestAgent(service, fresh()).joins();
        }
        List<String> seen = new ArrayList<>();
        String token = "";
        do {
            Answer page = service.asUser(
                    Role.VIEWER,
                    "GET",
                    "/api/v1/nodes?pageSize=2" + (token.isEmpty() ? "" : "&pageToken=" + token),
                    null);
            assertThat(page.body().get("items").size()).isLessThanOrEqualTo(2);
            page.body().get("items").forEach(node -> seen.add(node.get("node").asString()));
            token = page.body().path("nextPageToken").asString("");
        } while (!token.isEmpty());

        assertThat(seen).isSorted().doesNotHaveDuplicates().contains("keeper").hasSizeGreaterThan(3);
        Answer healthy =
                service.asUser(Role.VIEWER, "GET", "/api/v1/nodes?condition=HEALTHY&rack=r1&pageSize=500", null);
        assertThat(healthy.body().get("items"))
                .allSatisfy(node -> assertThat(node.get("condition").asString()).isEqualTo("HEALTHY"));
        assertThat(service.asUser(Role.VIEWER, "GET", "/api/v1/nodes?rack=r9", null)
                        .body()
                        .get("items")
                        .size())
                .isZero();
        assertThat(service.asUser(Role.VIEWER, "GET", "/api/v1/nodes?condition=FINE", null)
                        .status())
                .isEqualTo(400);
        assertThat(service.asUser(Role.VIEWER, "GET", "/api/v1/nodes?pageToken=nonsense", null)
                        .status())
                .isEqualTo(400);
    }

    @Test
    void staleFactsAreMarked() {
        TestAgent agent = new TestAgent(service, fresh()).joins();
        JsonNode gpu = agent.view().get("gpus").get(0);

        // the test's facts are from a day long ago
        assertThat(gpu.get("stale").asBoolean()).isTrue();
        assertThat(gpu.get("ageSeconds").asLong()).isGreaterThan(120);
        Answer answer = agent.call(
                "heartbeat",
                new io.muster.contract.node.Heartbeat(
                        agent.registration().session(),
                        1,
                        now(),
                        TestNodes.facts(
                                agent.node().value(),
                                8,
                                agent.facts().agentAddress(),
                                agent.facts().agentPort(),
                                now()),
                        List.of(),
                        List.of()));
        assertThat(answer.status()).isEqualTo(200);
        assertThat(agent.view().get("gpus").get(0).get("stale").asBoolean()).isFalse();
    }

    @Test
    void theMetricsAreThere() {
        Eventually.holds(
                "all metrics",
                () -> {
                    String text = service.call("GET", "/actuator/prometheus", null, null)
                            .body()
                            .asString();
                    return List.of(
                                    "muster_nodes{condition=\"HEALTHY\"",
                                    "muster_inventory_gpus{state=\"free_of_holds\"",
                                    "muster_heartbeats_total",
                                    "muster_lease_expirations_total",
                                    "muster_check_results_total{check=\"disk_space\",status=\"PASS\"")
                            .stream()
                            .allMatch(text::contains);
                },
                () -> service.call("GET", "/actuator/prometheus", null, null)
                        .body()
                        .asString()
                        .lines()
                        .filter(line -> line.startsWith("muster_"))
                        .toList());
    }

    @Test
    void thePublicPathsAreDocumented() {
        JsonNode paths = service.call("GET", "/v3/api-docs", null, null).body().get("paths");

        assertThat(paths.propertyNames())
                .containsExactlyInAnyOrder(
                        "/api/v1/nodes",
                        "/api/v1/nodes/{id}",
                        "/api/v1/nodes/{id}/cordon",
                        "/api/v1/nodes/{id}/uncordon",
                        "/api/v1/nodes/{id}/spare",
                        "/api/v1/nodes/join-tokens",
                        "/api/v1/faults",
                        "/api/v1/faults/phases",
                        "/api/v1/faults/{id}");
    }

    private static java.time.Instant now() {
        return Clock.systemUTC().instant();
    }

    private static String fresh() {
        return "t-" + COUNT.incrementAndGet();
    }
}
