package io.muster.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.EventType;
import io.muster.contract.Topics;
import io.muster.edge.identity.Role;
import io.muster.health.RunningService.Answer;
import io.muster.health.lease.ExpiredLease;
import io.muster.health.lease.IncidentJournal;
import io.muster.health.lease.LeaseVerdict;
import io.muster.testing.TestBroker;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.JsonNode;

/** The fault stream records and notifies: whatever becomes of it, holds are opened and lifted as ever. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HoldsDoNotWaitTest {

    private RunningService service;
    private TestAgent keeper;

    @BeforeAll
    void start(@TempDir Path folder) {
        service = RunningService.start(
                folder, "health_do_not_wait", "--muster.health.heartbeat=1s", "--muster.health.lease=4s");
        Eventually.holds("a judge", service::judges, () -> "no judge");
        keeper = new TestAgent(service, "w-keeper", "r2").lives(target -> false);
    }

    @AfterAll
    void stop() {
        keeper.close();
        service.close();
    }

    @Test
    void aNodeIsLostAndComesBackWhileTheBrokerIsAway() {
        TestAgent agent = admitted("w-broker");
        TestBroker.stop();
        try {
            agent.falls();
            Eventually.holds("held", () -> agent.causes().contains("LEASE_EXPIRED"), agent::view);
            assertThat(faultsOf("w-broker", "OPEN")).hasSize(1);
            agent.beatsOn(target -> false);
            Eventually.holds("back", () -> agent.causes().isEmpty(), agent::view);
            assertThat(faultsOf("w-broker", "RESOLVED")).hasSize(1);
        } finally {
            TestBroker.start();
        }
        Eventually.holds("told afterwards", () -> told("w-broker").size() >= 2, () -> told("w-broker"));
        assertThat(told("w-broker"))
                .startsWith(EventType.FAULT_OPENED.type())
                .endsWith(EventType.FAULT_RESOLVED.type());
        agent.close();
    }

    @Test
    void aHoldIsWrittenWhileFaultsCannotBeAndItsWholeStoryFollows() throws InterruptedException {
        TestAgent agent = admitted("w-locked");
        Instant heldSince;
        CountDownLatch locked = new CountDownLatch(1);
        CountDownLatch enough = new CountDownLatch(1);
        Thread writer = Thread.ofPlatform()
                .start(() -> service.bean(TransactionTemplate.class).executeWithoutResult(status -> {
                    service.bean(JdbcClient.class)
                            .sql("select pg_advisory_xact_lock(hashtextextended('faults', 0))")
                            .query(row -> {});
                    locked.countDown();
                    try {
                        enough.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }));
        locked.await();
        try {
            agent.falls();
            Eventually.holds("held", () -> agent.causes().contains("LEASE_EXPIRED"), agent::view);
            heldSince =
                    Instant.parse(agent.view().get("holds").get(0).get("since").asString());
            assertThat(faultsOf("w-locked", "OPEN")).isEmpty();
        } finally {
            enough.countDown();
            writer.join();
        }
        Eventually.holds("told", () -> faultsOf("w-locked", "OPEN").size() == 1, () -> faultsOf("w-locked", "OPEN"));
        JsonNode fault = faultsOf("w-locked", "OPEN").getFirst();
        assertThat(Instant.parse(fault.get("firstSeenAt").asString()))
                .as("the story is whole: it begins with the last heartbeat, a lease before the hold")
                .isBefore(heldSince.minusSeconds(3));
        assertThat(Instant.parse(fault.get("detectedAt").asString()))
                .as("and it was detected with the hold, however long it waited")
                .isEqualTo(heldSince);
        agent.beatsOn(target -> false);
        Eventually.holds("back", () -> faultsOf("w-locked", "RESOLVED").size() == 1, agent::view);
        agent.close();
    }

    @Test
    void aJoinWhoseAnswerWasLostCanBeRepeatedAfterItsLeaseHasRunOut() {
        String token = TestAgent.joinToken(service, "w-unanswered");
        TestAgent agent = new TestAgent(service, "w-unanswered", "rack-of-w-unanswered").joins(token);
        Eventually.holds("lost", () -> agent.causes().contains("LEASE_EXPIRED"), agent::view);

        agent.joins(token).lives(target -> false);
        Eventually.holds("admitted", () -> agent.causes().isEmpty(), agent::view);
        assertThat(agent.registration().session()).isEqualTo(2);
        agent.close();
    }

    @Test
    void aNodeThatIsLostAThirdTimeWaitsForAPerson() {
        TestAgent agent = admitted("w-flaps");
        for (int loss = 1; loss <= 3; loss++) {
            agent.falls();
            Eventually.holds("lost", () -> agent.causes().contains("LEASE_EXPIRED"), agent::view);
            agent.beatsOn(target -> false);
            Eventually.holds("looked at", () -> !agent.causes().contains("LEASE_EXPIRED"), agent::view);
            assertThat(agent.causes()).isEqualTo(loss < 3 ? List.of() : List.of("FLAPPING"));
        }
        assertThat(faultsOf("w-flaps", "OPEN").getFirst().get("nextStep").asString())
                .contains("uncordon");
        Answer viewer = service.asUser(Role.VIEWER, "POST", "/api/v1/nodes/w-flaps/uncordon", null);
        assertThat(viewer.status()).isEqualTo(403);
        Answer lifted = service.asUser(Role.SRE, "POST", "/api/v1/nodes/w-flaps/uncordon", null);
        assertThat(lifted.status()).isEqualTo(200);
        assertThat(agent.causes()).isEmpty();
        assertThat(faultsOf("w-flaps", "OPEN")).isEmpty();
        agent.close();
    }

    @Test
    void aSpareIsMarkedShownToldAndGivenBack() {
        TestAgent agent = new TestAgent(service, "w-spare", "r1").joins();
        String path = "/api/v1/nodes/w-spare/spare";

        assertThat(service.asUser(Role.ENGINEER, "PUT", path, null).code()).isEqualTo("FORBIDDEN");
        assertThat(service.asUser(Role.SRE, "PUT", "/api/v1/nodes/w-nobody/spare", null)
                        .code())
                .isEqualTo("NODE_UNKNOWN");
        assertThat(service.asUser(Role.SRE, "PUT", "/api/v1/nodes/No%20Node/spare", null)
                        .status())
                .isEqualTo(400);
        assertThat(service.asUser(Role.SRE, "PUT", path, null)
                        .body()
                        .get("spare")
                        .asBoolean())
                .isTrue();
        assertThat(service.asUser(Role.ADMIN, "PUT", path, null).status())
                .as("repeating is harmless")
                .isEqualTo(200);
        JsonNode listed = service.asUser(Role.VIEWER, "GET", "/api/v1/nodes?pageSize=500", null)
                .body();
        listed.get("items")
                .forEach(node -> assertThat(node.get("spare").asBoolean())
                        .isEqualTo(node.get("node").asString().equals("w-spare")));
        assertThat(service.asUser(Role.SRE, "DELETE", path, null)
                        .body()
                        .get("spare")
                        .asBoolean())
                .isFalse();
        Eventually.holds("told", () -> spares().equals(List.of(false, true, false)), this::spares);
        agent.close();
    }

    private List<Boolean> spares() {
        return NodeEvents.of("w-spare").stream()
                .map(told -> told.state().spare())
                .toList();
    }

    private TestAgent admitted(String name) {
        TestAgent agent = new TestAgent(service, name, "rack-of-" + name).lives(target -> false);
        Eventually.holds("admitted", () -> agent.causes().isEmpty(), agent::view);
        return agent;
    }

    /** Whatever became of the writing of its end. */
    @Test
    void anIncidentThatTheJudgeIsNotInIsEndedByUpkeep() {
        Instant now = Clock.systemUTC().instant();
        List<ExpiredLease> silent = List.of(new ExpiredLease(TestNodes.node("w-unheard"), 1, Duration.ofSeconds(4)));
        service.bean(TransactionTemplate.class)
                .executeWithoutResult(status -> service.bean(IncidentJournal.class)
                        .opened(new LeaseVerdict.IncidentOpened(silent, 0, 3), now.minusSeconds(4), now));
        String query = "layer=CONTROL_PLANE&node=w-unheard&status=RESOLVED";
        Eventually.holds("ended", () -> faults(query).size() == 1, () -> faults("layer=CONTROL_PLANE"));

        List<JsonNode> actions =
                faults(query).getFirst().get("actions").valueStream().toList();
        assertThat(actions.stream().map(action -> action.get("action").asString()))
                .containsExactly("NOBODY_HELD", "INCIDENT_CLOSED");
        assertThat(actions.getLast().get("message").asString())
                .contains("every node has been heard again or is judged");
    }

    private List<JsonNode> faultsOf(String node, String status) {
        return faults("layer=NODE&node=" + node + "&status=" + status);
    }

    private List<JsonNode> faults(String query) {
        return service.asUser(Role.SRE, "GET", "/api/v1/faults?" + query, null)
                .body()
                .get("items")
                .valueStream()
                .toList();
    }

    private static List<String> told(String node) {
        return NodeEvents.read(Topics.FAULTS, node).stream()
                .map(event -> event.get("type").asString())
                .toList();
    }
}
