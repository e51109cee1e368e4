package io.muster.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.JoinRequest;
import io.muster.edge.identity.Role;
import io.muster.health.RunningService.Answer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two instances on one database: one judges, the other sends agents to it and takes over when it goes. */
class JudgeTakeoverTest {

    @Test
    void theSecondInstanceSendsAgentsToTheJudgeAndTakesOverWithoutLosingAnybody(@TempDir Path keys) {
        RunningService first = RunningService.start(keys, "health_takeover", "--muster.health.judge-seat=2s");
        Eventually.holds("a judge", first::judges, () -> "no judge");
        try (RunningService second = RunningService.start(keys, "health_takeover", "--muster.health.judge-seat=2s")) {
            TestAgent living = new TestAgent(first, "a").lives(target -> true);
            TestAgent dying = new TestAgent(first, "b").lives(target -> true);
            Eventually.holds(
                    "both fit",
                    () -> living.causes().isEmpty() && dying.causes().isEmpty(),
                    () -> dying.causes());
            Answer sent = second.call("POST", "/internal/join", null, new JoinRequest("x", TestNodes.facts("c", 1)));
            assertThat(sent.status()).isEqualTo(307);
            assertThat(sent.code()).isEqualTo("NOT_THE_JUDGE");
            assertThat(sent.headers().firstValue("location")).hasValue(first.url() + "/internal/join");
            assertThat(second.asUser(Role.VIEWER, "GET", "/api/v1/nodes/a", null)
                            .status())
                    .as("every instance answers people")
                    .isEqualTo(200);

            dying.falls();
            first.close();
            living.goesTo(second);
            dying.goesTo(second);
            Eventually.holds("takeover", second::judges, () -> "no judge");
            Eventually.holds(
                    "the dead node is found", () -> dying.causes().contains("LEASE_EXPIRED"), () -> dying.causes());
            assertThat(living.causes()).as("the living node was not lost").isEmpty();
            assertThat(living.registration().session()).isEqualTo(1);
            assertThat(second.asService("/internal/services/nodes/a/fitness")
                            .body()
                            .get("leaseAlive")
                            .asBoolean())
                    .isTrue();
            assertThat(NodeEvents.of("b").getLast().state().node()).isEqualTo(new NodeId("b"));
            living.close();
        }
    }
}
