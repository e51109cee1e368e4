package io.muster.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.Fitness;
import io.muster.contract.node.JoinRequest;
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
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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
        assertThat(join(token, name).status()).isEqualTo(200);
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
        assertThat(join("bootstrap-secret-1", "boot-1").status()).isEqualTo(200);
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

    private Answer join(String token, String name) {
        return service.call("POST", "/internal/join", null, new JoinRequest(token, TestNodes.facts(name, 8)));
    }

    private static String fresh() {
        return "e-" + COUNT.incrementAndGet();
    }
}
