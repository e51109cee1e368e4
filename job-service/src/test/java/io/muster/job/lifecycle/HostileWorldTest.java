package io.muster.job.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.agent.Assignment;
import io.muster.contract.agent.AssignmentAction;
import io.muster.contract.agent.AttemptReport;
import io.muster.contract.agent.ExitCause;
import io.muster.contract.agent.MemberPhase;
import io.muster.contract.agent.Progress;
import io.muster.contract.job.JobPhase;
import io.muster.contract.node.CheckResult;
import io.muster.contract.node.CheckStatus;
import io.muster.contract.node.Hold;
import io.muster.contract.node.HoldEffect;
import io.muster.contract.node.HoldScope;
import io.muster.job.JobServiceTest;
import io.muster.job.TestNeighbours;
import io.muster.job.TestQuota;
import io.muster.job.node.NodeDirectory;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.JsonNode;

/** Agents that say what they like, facts that arrive in between, and steps that nobody takes. */
@JobServiceTest
class HostileWorldTest {

    @LocalServerPort
    int port;

    @Autowired
    PlacementListener placements;

    @Autowired
    NodeListener nodes;

    @Autowired
    NodeDirectory directory;

    @Autowired
    WakeStore wakes;

    @Autowired
    JdbcClient jdbc;

    @Autowired
    TestNeighbours.Script script;

    @Autowired
    TransactionTemplate transaction;

    @BeforeEach
    void aQuotaTree() {
        script.reset();
        TestQuota.heardOfOneQueue(jdbc);
    }

    private JobScenario job(String name, int nodeCount) {
        return new JobScenario(port, placements, nodes).submitted(name, nodeCount, "");
    }

    @ParameterizedTest
    @ValueSource(strings = {"nul\u0000nul", "half \uD83D", "esc \u001b[31m", "long"})
    void noTextOfAnAgentMakesItsReportUnstorable(String kind) {
        String text = kind.equals("long") ? "x".repeat(40_000) : kind;
        String name = "hostile-" + Integer.toHexString(kind.hashCode());
        JobScenario failing = job(name, 1).placed();
        SimulatedAgent agent = failing.agents.getFirst();
        Assignment checks = agent.await(failing.job, AssignmentAction.PREFLIGHT);
        CheckResult bad = new CheckResult(text, CheckStatus.FAIL, true, text, 5, Instant.now());
        agent.report(new AttemptReport(
                checks.jobId(),
                checks.attempt(),
                MemberPhase.PREFLIGHT_FAILED,
                null,
                null,
                List.of(bad),
                List.of(),
                null,
                null,
                null));
        failing.allGone().awaitState(JobPhase.QUEUED);

        JobScenario job = job(name + "-run", 1).running();
        SimulatedAgent runner = job.agents.getFirst();
        Assignment task = job.task(runner, AssignmentAction.RUN);
        runner.report(new AttemptReport(
                task.jobId(),
                task.attempt(),
                MemberPhase.RUNNING,
                null,
                null,
                List.of(),
                List.of(),
                new Progress(7, null, Map.of(text, 0.5), Instant.now()),
                Map.of(text, text),
                null));
        assertThat(job.view().get("progress").get("step").intValue()).isEqualTo(7);
        assertThat(job.view().get("result").isObject()).isTrue();
        runner.report(runner.exited(task, ExitCause.USER_ERROR, 1, text));
        JsonNode view = job.allGone().awaitState(JobPhase.FAILED);
        assertThat(view.get("message").stringValue()).contains("rank 0").hasSizeLessThan(1000);
    }

    @Test
    void oneReportThatCannotBeTakenDoesNotKeepTheNodesOthersOut() {
        JobScenario broken = job("isolated-broken", 1).placed().preflightPassed();
        JobScenario sound = job("isolated-sound", 1);
        sound.agents.set(0, broken.agents.getFirst());
        sound.placed().preflightPassed();
        SimulatedAgent agent = broken.agents.getFirst();
        Assignment bad = broken.task(agent, AssignmentAction.RUN);
        Assignment good = sound.task(agent, AssignmentAction.RUN);
        agent.report(agent.exited(bad, null, 1, "no cause"), agent.up(good));
        assertThat(sound.state()).isEqualTo("RUNNING");
        assertThat(broken.state()).isEqualTo("STARTING");
        agent.report(agent.up(bad));
        assertThat(broken.state()).as("its next report counts").isEqualTo("RUNNING");
    }

    /** The loss is on its way into the database while the restore decision is asked for, and nobody finds the job by it. */
    @Test
    void aNodeLostBetweenTwoReadsGetsNoTasks() {
        JobScenario job = job("lost-between", 2);
        SimulatedAgent lost = job.agents.get(1);
        CountDownLatch stored = new CountDownLatch(1);
        script.whileRestoring = () -> {
            script.whileRestoring = () -> {};
            Thread.ofVirtual()
                    .start(() -> transaction.executeWithoutResult(status -> {
                        directory.put(JobScenario.state(lost.node, 1, List.of(evict(lost))));
                        stored.countDown();
                        for (int i = 0; i < 25; i++) {
                            JobScenario.pause();
                        }
                    }));
            try {
                stored.await();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        };
        job.placed();
        JsonNode view = job.await(one -> one.get("reason").stringValue().equals("NODE_LOST"), "stopped");
        assertThat(view.get("failedNodes").get(0).stringValue()).isEqualTo(lost.node.value());
        assertThat(job.agents.getFirst().desired(0).assignments()).isEmpty();
    }

    private static Hold evict(SimulatedAgent agent) {
        return new Hold(
                "hold_1",
                HoldScope.NODE,
                agent.node.value(),
                HoldEffect.EVICT,
                "LEASE_EXPIRED",
                "no heartbeat for 3 s",
                "health",
                1,
                Instant.now(),
                null);
    }

    @Test
    void aPreflightOrStartThatIsNeverReportedOnEnds() {
        JobScenario silent = job("limit-preflight", 2).placed();
        silent.agents
                .getFirst()
                .report(silent.agents
                        .getFirst()
                        .passed(silent.agents.getFirst().await(silent.job, AssignmentAction.PREFLIGHT)));
        assertThat(wakesWithin(silent, 60)).isTrue();
        letPass(silent, 60);
        JsonNode view = silent.awaitState(JobPhase.RECOVERING);
        assertThat(view.get("reason").stringValue()).isEqualTo("PREFLIGHT_FAILED");
        assertThat(view.get("message").stringValue())
                .contains("limit-preflight-n1")
                .doesNotContain("preflight-n0");
        silent.allGone().awaitState(JobPhase.QUEUED);

        JobScenario mute = job("limit-start", 1).placed().preflightPassed();
        mute.agents.getFirst().await(mute.job, AssignmentAction.RUN);
        assertThat(wakesWithin(mute, 1800)).isTrue();
        letPass(mute, 1800);
        mute.awaitState(JobPhase.STOPPING);
        JsonNode failed = mute.allGone().awaitState(JobPhase.FAILED);
        assertThat(failed.get("reason").stringValue()).isEqualTo("START_TIMEOUT");
        assertThat(failed.get("message").stringValue()).contains("2 of 2 ranks").contains("1800 s");
    }

    /** Moves the beginning of the stage back, and the look that was to come with it. */
    private void letPass(JobScenario job, int seconds) {
        jdbc.sql("update attempt set stage_since = stage_since - make_interval(secs => :seconds) where job_id = :job")
                .param("seconds", seconds)
                .param("job", job.job.value())
                .update();
        jdbc.sql("update job set wake_at = now() where job_id = :job")
                .param("job", job.job.value())
                .update();
    }

    private boolean wakesWithin(JobScenario job, int seconds) {
        return jdbc.sql("""
                select wake_at between now() + make_interval(secs => :seconds - 30)
                    and now() + make_interval(secs => :seconds) from job where job_id = :job""")
                .param("seconds", seconds)
                .param("job", job.job.value())
                .query(Boolean.class)
                .single();
    }

    @Test
    void aLookThatFindsNothingToDoIsTheLast() {
        JobScenario running = job("rest-running", 1).running();
        JobScenario ended = job("rest-ended", 1).running().completed().allGone();
        ended.awaitState(JobPhase.SUCCEEDED);
        JobScenario queued = job("rest-queued", 1);
        for (JobScenario job : List.of(running, ended, queued)) {
            awaitWake(job, wake -> wake == null);
            wakes.again(job.job, Instant.now());
            assertThat(wake(job)).as("a job at rest stays so").isNull();
            jdbc.sql("update job set wake_at = now() where job_id = :job")
                    .param("job", job.job.value())
                    .update();
            awaitWake(job, wake -> wake == null);
        }
        JobScenario preflight = job("rest-preflight", 1).placed();
        preflight.agents.getFirst().await(preflight.job, AssignmentAction.PREFLIGHT);
        jdbc.sql("update job set wake_at = now() where job_id = :job")
                .param("job", preflight.job.value())
                .update();
        awaitWake(preflight, wake -> wake != null && wake.isAfter(Instant.now().plusSeconds(20)));
    }

    private void awaitWake(JobScenario job, Predicate<Instant> condition) {
        for (int i = 0; i < 500 && !condition.test(wake(job)); i++) {
            JobScenario.pause();
        }
        assertThat(wake(job)).as(job.job.value()).matches(condition);
    }

    private Instant wake(JobScenario job) {
        return jdbc.sql("select wake_at from job where job_id = :job")
                .param("job", job.job.value())
                .query((row, n) -> JobStore.instantOrNull(row, "wake_at"))
                .list()
                .getFirst();
    }
}
