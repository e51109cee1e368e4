package io.muster.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.Fitness;
import io.muster.contract.node.JoinRequest;
import io.muster.contract.node.NodeFacts;
import io.muster.contract.node.Registration;
import io.muster.edge.identity.Role;
import io.muster.health.RunningService.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Who may enter, with what, and what it may then do; over HTTP. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EntryOverHttpTest {

    private static final AtomicInteger COUNT = new AtomicInteger();

    private RunningService service;
    private TestAgent keeper;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        Path bootstrap = folder.resolve("join-tokens.json");
        Files.writeString(bootstrap, """
                {"tokens":[{"node":"boot-1","token":"bootstrap-secret-1"},{"node":"boot-2","token":"bootstrap-secret-2"}]}
                """);
        service = RunningService.start(
                folder.resolve("keys"), "health_entry", "--muster.health.bootstrap-join-tokens=" + bootstrap);
        Eventually.holds("a judge", service::judges, () -> "no judge");
        // somebody is always heard: else no lease expires
        keeper = new TestAgent(service, "keeper").lives(target -> true);
    }

    @AfterAll
    void stop() {
        keeper.close();
        service.close();
    }

    @Test
    void aJoinTokenWorksOnceForItsNodeAndLeavesNoTrace() {
        String name = fresh();
        String token = TestAgent.joinToken(service, name);

        assertThat(join(token, fresh()).code()).isEqualTo("JOIN_TOKEN_OF_ANOTHER_NODE");
        assertThat(join("join_made-up", name).status()).isEqualTo(401);
        TestAgent agent = new TestAgent(service, name).joins(token);
        agent.beats();
        Answer again = join(token, name);
        assertThat(again.status()).isEqualTo(409);
        assertThat(again.code()).isEqualTo("JOIN_TOKEN_USED");
        assertThat(again.body().get("hint").asString()).contains("/internal/agents/" + name + "/register");
        assertThat(again.body().toString()).doesNotContain(token);
    }

    @Test
    void anExpiredJoinTokenAndAnUnusableRequestForOneAreRefused() {
        Answer past = service.asUser(
                Role.SRE,
                "POST",
                "/api/v1/nodes/join-tokens",
                Map.of("node", fresh(), "expires", "2020-01-01T00:00:00Z"));
        assertThat(past.status()).isEqualTo(400);
        assertThat(past.body().get("violations").get(0).get("pointer").asString())
                .isEqualTo("/expires");
        assertThat(service.asUser(Role.SRE, "POST", "/api/v1/nodes/join-tokens", Map.of())
                        .status())
                .isEqualTo(400);
    }

    @ParameterizedTest
    @EnumSource(
            value = Role.class,
            names = {"VIEWER", "ENGINEER"})
    void whoDoesNotOperateNodesReadsThemOnly(Role role) {
        assertThat(service.asUser(role, "POST", "/api/v1/nodes/join-tokens", Map.of("node", fresh()))
                        .status())
                .isEqualTo(403);
        assertThat(service.asUser(role, "POST", "/api/v1/nodes/keeper/cordon", Map.of("reason", "mine"))
                        .status())
                .isEqualTo(403);
        assertThat(service.asUser(role, "POST", "/api/v1/nodes/keeper/uncordon", null)
                        .status())
                .isEqualTo(403);
        assertThat(service.asUser(role, "GET", "/api/v1/nodes/keeper", null).status())
                .isEqualTo(200);
        assertThat(service.asUser(role, "GET", "/api/v1/nodes", null).status()).isEqualTo(200);
    }

    @Test
    void bootstrapTokensJoinTheirNodesOnce() {
        new TestAgent(service, "boot-1").joins("bootstrap-secret-1").beats();
        assertThat(join("bootstrap-secret-1", "boot-1").code()).isEqualTo("JOIN_TOKEN_USED");
        assertThat(join("bootstrap-secret-2", "boot-1").code()).isEqualTo("JOIN_TOKEN_OF_ANOTHER_NODE");
    }

    @Test
    void anotherNodesAnExpiredAForgedAndNoTokenAreRefused() {
        TestAgent one = new TestAgent(service, fresh()).joins();
        TestAgent other = new TestAgent(service, fresh()).joins();
        String path = "/internal/agents/" + one.node() + "/register";

        assertThat(service.call("POST", path, other.registration().nodeToken(), one.facts())
                        .status())
                .isEqualTo(403);
        assertThat(service.call("POST", path, null, one.facts()).status()).isEqualTo(401);
        assertThat(service.call("POST", path, service.nodeToken(one.node(), Duration.ofMinutes(-5)), one.facts())
                        .status())
                .isEqualTo(401);
        String[] parts = one.registration().nodeToken().split("\\.", -1);
        String forged = parts[0] + "." + other.registration().nodeToken().split("\\.", -1)[1] + "." + parts[2];
        assertThat(service.call("POST", "/internal/agents/" + other.node() + "/register", forged, other.facts())
                        .status())
                .isEqualTo(401);
        assertThat(service.call(
                                "GET",
                                "/internal/services/nodes/keeper/fitness",
                                one.registration().nodeToken(),
                                null)
                        .status())
                .isEqualTo(403);
        assertThat(one.call("register", other.facts()).code()).isEqualTo("FACTS_OF_ANOTHER_NODE");
        assertThat(one.call("register", one.facts()).status()).isEqualTo(200);
    }

    @Test
    void aNodeThatNeverJoinedIsSentToTheJoin() {
        NodeId never = new NodeId(fresh());
        Answer answer = service.call(
                "POST",
                "/internal/agents/" + never + "/register",
                service.nodeToken(never, Duration.ofMinutes(1)),
                TestNodes.facts(never.value(), 8));

        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.code()).isEqualTo("NODE_UNKNOWN");
        assertThat(service.asUser(Role.VIEWER, "GET", "/api/v1/nodes/" + never, null)
                        .status())
                .isEqualTo(404);
        Fitness fitness = service.fitness(never);
        assertThat(fitness.known()).isFalse();
        assertThat(fitness.leaseAlive()).isFalse();
    }

    @Test
    void theAddressOfALivingNodeCannotBeClaimed() {
        try (TestAgent living = new TestAgent(service, fresh()).lives(target -> true)) {
            String name = fresh();
            Answer claimed = service.call(
                    "POST",
                    "/internal/join",
                    null,
                    new JoinRequest(
                            TestAgent.joinToken(service, name),
                            TestNodes.facts(
                                    name,
                                    8,
                                    living.facts().agentAddress(),
                                    living.facts().agentPort(),
                                    TestNodes.NOON)));

            assertThat(claimed.status()).isEqualTo(409);
            assertThat(claimed.code()).isEqualTo("ADDRESS_TAKEN");
            assertThat(claimed.body().get("detail").asString())
                    .contains(living.node().value());
        }
    }

    @Test
    void aCredentialPastHalfOfItsLifeIsRenewedInAHeartbeat(@TempDir Path folder) {
        try (RunningService shortLived =
                RunningService.start(folder, "health_renewal", "--muster.health.node-token-life=3s")) {
            Eventually.holds(
                    "a judge",
                    () -> shortLived
                                    .call("POST", "/internal/join", null, Map.of())
                                    .status()
                            != 503,
                    () -> "no judge");
            TestAgent agent = new TestAgent(shortLived, fresh()).joins();
            List<Registration> renewed = new ArrayList<>();
            Eventually.holds(
                    "renewal",
                    () -> {
                        Registration fresh = agent.beats().renewed();
                        if (fresh != null) {
                            renewed.add(fresh);
                        }
                        return !renewed.isEmpty();
                    },
                    () -> "none");
            assertThat(renewed.getFirst().session())
                    .isEqualTo(agent.registration().session());
            assertThat(renewed.getFirst().tokenExpiresAt())
                    .isAfter(agent.registration().tokenExpiresAt());
        }
    }

    @Test
    void aJoinWhoseAnswerWasLostIsRepeatedUntilItsSessionIsUsed() {
        String name = fresh();
        String token = TestAgent.joinToken(service, name);
        assertThat(join(token, name).status()).as("the answer is lost").isEqualTo(200);

        TestAgent agent = new TestAgent(service, name).joins(token);
        assertThat(agent.registration().session()).isEqualTo(2);
        assertThat(agent.registration().nodeToken()).isNotBlank();
        assertThat(agent.causes()).containsExactly("ADMISSION");
        assertThat(agent.beats(1, List.of(), List.of()).registerAgain())
                .as("the session whose answer was lost is over")
                .isTrue();
        assertThat(join(token, name).status())
                .as("and its use is no use of the last")
                .isEqualTo(200);
        agent.joins(token);
        assertThat(agent.beats().registerAgain()).isFalse();
        Answer afterwards = join(token, name);
        assertThat(afterwards.code()).isEqualTo("JOIN_TOKEN_USED");
        assertThat(afterwards.body().get("detail").asString()).contains("has used its session");
        assertThat(agent.view().get("session").asLong())
                .as("nothing has changed")
                .isEqualTo(4);
    }

    @Test
    void aRegistrationEndsTheRepetitionToo() {
        String name = fresh();
        String token = TestAgent.joinToken(service, name);
        TestAgent agent = new TestAgent(service, name).joins(token);
        agent.registers();

        assertThat(join(token, name).code()).isEqualTo("JOIN_TOKEN_USED");
    }

    @Test
    void whoeverIsNotEvidentlyTheSameJoiningIsRefused() {
        String name = fresh();
        String token = TestAgent.joinToken(service, name);
        NodeFacts facts = TestNodes.facts(name, 8);
        assertThat(join(token, name).status()).isEqualTo(200);

        assertThat(join(token, fresh()).code()).isEqualTo("JOIN_TOKEN_OF_ANOTHER_NODE");
        Answer rebooted = join(token, TestNodes.booted(facts, "boot-2", facts.agentAddress(), facts.agentPort()));
        assertThat(rebooted.status()).isEqualTo(409);
        assertThat(rebooted.body().get("detail").asString())
                .contains("another boot")
                .doesNotContain("boot-1");
        Answer moved = join(token, TestNodes.booted(facts, "boot-1", "127.0.0.9", facts.agentPort()));
        assertThat(moved.status()).isEqualTo(409);
        assertThat(moved.body().get("detail").asString()).contains("127.0.0.9:" + facts.agentPort());
        service.bean(JdbcClient.class)
                .sql("update join_token set used_at = used_at - interval '10 minutes' where node_id = ?")
                .param(name)
                .update();
        Answer late = join(token, name);
        assertThat(late.code()).isEqualTo("JOIN_TOKEN_USED");
        assertThat(late.body().get("detail").asString()).contains("for 600 s");
    }

    @Test
    void twoJoinsAtOnceOfOneNodeBothSucceedAndTheLastSessionCounts() throws Exception {
        String name = fresh();
        String token = TestAgent.joinToken(service, name);
        List<Long> sessions = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            List<Future<Answer>> answers =
                    List.of(threads.submit(() -> join(token, name)), threads.submit(() -> join(token, name)));
            for (Future<Answer> answer : answers) {
                sessions.add(answer.get().body().get("session").asLong());
            }
        }

        assertThat(sessions).containsExactlyInAnyOrder(1L, 2L);
        assertThat(service.asUser(Role.SRE, "GET", "/api/v1/nodes/" + name, null)
                        .body()
                        .get("session")
                        .asLong())
                .isEqualTo(2);
    }

    @Test
    void ofTwoBootsAtOnceOneJoins() throws Exception {
        String name = fresh();
        String token = TestAgent.joinToken(service, name);
        NodeFacts one = TestNodes.facts(name, 8);
        NodeFacts other = TestNodes.booted(one, "boot-2", one.agentAddress(), one.agentPort());
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            Future<Answer> first = threads.submit(() -> join(token, one));
            Future<Answer> second = threads.submit(() -> join(token, other));
            assertThat(List.of(first.get().status(), second.get().status())).containsExactlyInAnyOrder(200, 409);
        }
    }

    private Answer join(String token, NodeFacts facts) {
        return service.call("POST", "/internal/join", null, new JoinRequest(token, facts));
    }

    private Answer join(String token, String name) {
        return service.call("POST", "/internal/join", null, new JoinRequest(token, TestNodes.facts(name, 8)));
    }

    private static String fresh() {
        return "e-" + COUNT.incrementAndGet();
    }
}
