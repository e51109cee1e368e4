package io.muster.job.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.muster.contract.agent.Assignment;
import io.muster.contract.agent.AssignmentAction;
import io.muster.contract.agent.ExitCause;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.job.JobPhase;
import io.muster.contract.job.JobState;
import io.muster.contract.node.Fitness;
import io.muster.contract.scheduling.Explanation;
import io.muster.job.JobServiceTest;
import io.muster.job.TestNeighbours;
import io.muster.job.TestQuota;
import io.muster.job.neighbour.Answer;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** Jobs that break and come back, with agents that speak the real protocol. */
@JobServiceTest
class RecoveryScenariosTest {

    private static final String CHECKPOINTS = ", \"checkpoint\": {\"uri\": \"store://a\"}";

    @LocalServerPort
    int port;

    @Autowired
    PlacementListener placements;

    @Autowired
    NodeListener nodes;

    @Autowired
    JdbcClient jdbc;

    @Autowired
    TestNeighbours.Script script;

    @Autowired
    TestNeighbours.Heard heard;

    @Autowired
    MeterRegistry meters;

    @BeforeEach
    void aQuotaTree() {
        script.reset();
        TestQuota.heardOfOneQueue(jdbc);
    }

    private JobScenario job(String name, String more) {
        return new JobScenario(port, placements, nodes).submitted(name, 2, more);
    }

    @Test
    void aJobSurvivesALostNode() {
        long waitsBefore = waits();
        double before = restarts("NODE_LOST");
        JobScenario job = job("survives", CHECKPOINTS).running();
        SimulatedAgent dead = job.agents.getFirst();
        SimulatedAgent healthy = job.agents.get(1);
        Assignment old = job.task(dead, AssignmentAction.RUN);
        healthy.report(healthy.exited(
                job.task(healthy, AssignmentAction.RUN), ExitCause.LOST_CONNECTION, 1, "connection reset"));
        assertThat(job.state()).as("the root is missing").isEqualTo("RUNNING");
        job.evicted(dead);
        JsonNode recovering = job.awaitState(JobPhase.RECOVERING);
        assertThat(recovering.get("message").stringValue()).contains("platform restart 1 of 20");
        healthy.report(healthy.gone(healthy.await(job.job, AssignmentAction.STOP)));
        job.wounded(dead);
        script.explanation = new Answer.Given<>(Optional.of(new Explanation(
                "WAITING_FOR_REPLACEMENT",
                "WAIT",
                List.of(),
                List.of(),
                Map.of(),
                "no node is free",
                "Wait.",
                Instant.EPOCH)));
        String why = "/api/v1/jobs/" + job.job + "/explanation";
        assertThat(job.user.get(why).json().get("sentence").stringValue()).isEqualTo("no node is free");
        script.explanation = new Answer.Given<>(Optional.empty());
        assertThat(job.user.get(why).json().get("reason").stringValue()).isEqualTo("NODE_LOST");
        JsonNode waiting = job.awaitState(JobPhase.RECOVERING);
        assertThat(waiting.get("failedNodes").get(0).stringValue()).isEqualTo(dead.node.value());
        assertThat(waiting.get("restarts").get("platform").get("used").intValue())
                .isEqualTo(1);
        assertThat(waiting.get("restarts").get("platform").get("allowed").intValue())
                .isEqualTo(20);
        assertThat(waiting.get("restarts").get("user").get("allowed").intValue())
                .isZero();

        script.restore = restored(40);
        SimulatedAgent spare = job.replaced(dead, "survives-spare");
        job.placed().preflightPassed();
        Assignment task = spare.await(job.job, AssignmentAction.RUN);
        assertThat(task.attempt()).isEqualTo(2);
        assertThat(task.generation()).isEqualTo(2);
        assertThat(task.task().restore().step()).isEqualTo(40);
        assertThat(script.restores.getLast().attempt()).isEqualTo(2);
        assertThat(script.restores.getLast().resumeFrom()).isEqualTo("latest");
        JsonNode running = job.ranksUp().awaitState(JobPhase.RUNNING);
        assertThat(running.get("message").stringValue())
                .contains("attempt 2")
                .contains("restored checkpoint chk_00000000001 of step 40");

        healthy.report(healthy.up(healthy.await(job.job, AssignmentAction.RUN)));
        spare.report(spare.result(task, 41, Map.of()));
        job.nodeSays(dead.node, 1, List.of());
        assertThat(job.view().get("failedNodes").isEmpty()).as("the same life").isFalse();
        job.nodeSays(dead.node, 2, List.of());
        assertThat(job.view().get("failedNodes").isEmpty()).as("a new life").isTrue();
        dead.session = 2;
        dead.report(dead.exited(old, ExitCause.USER_ERROR, 1, "from the grave"), dead.gone(old));
        assertThat(job.state()).isEqualTo("RUNNING");

        JsonNode done = job.completed().allGone().awaitState(JobPhase.SUCCEEDED);
        assertThat(done.get("attempt").intValue()).isEqualTo(2);
        assertThat(done.get("firstStepAt").isNull()).isFalse();
        assertThat(waits()).as("once, not again for the second attempt").isEqualTo(waitsBefore + 1);
        assertThat(states(job))
                .containsExactly("QUEUED", "STARTING", "RUNNING", "RECOVERING", "RUNNING", "STOPPING", "SUCCEEDED");
        assertThat(reasons(job))
                .containsSubsequence(
                        "ATTEMPT_STARTED",
                        "STARTED_FRESH",
                        "NODE_LOST",
                        "GANG_WOUNDED",
                        "GANG_REPAIRED",
                        "ATTEMPT_STARTED",
                        "RESTORED",
                        "FIRST_STEP");
        assertThat(restarts("NODE_LOST")).isEqualTo(before + 1);
        for (int i = 0;
                i < 1500 && heard.of(job.job).stream().noneMatch(state -> state.phase() == JobPhase.SUCCEEDED);
                i++) {
            JobScenario.pause();
        }
        assertThat(heard.of(job.job))
                .filteredOn(state -> state.phase() == JobPhase.RECOVERING)
                .isNotEmpty()
                .allMatch(JobState::wantsGpus)
                .allMatch(state -> state.releasedMembers().isEmpty())
                .allMatch(state -> state.failedNodes().contains(dead.node));
        assertThat(heard.of(job.job))
                .anyMatch(state -> state.generation() == 2 && state.attempt() == 2 && state.firstStepAt() != null);
    }

    /** Everything that only the database keeps between two looks: the gang, the holds, the questions. */
    @Test
    void aWoundedGenerationWaitsForTheNextAndACancelMeanwhileReleasesAll() {
        JobScenario job = job("twice", CHECKPOINTS).running();
        SimulatedAgent dead = job.agents.getFirst();
        SimulatedAgent healthy = job.agents.get(1);
        job.wounded(dead);
        healthy.report(healthy.gone(healthy.await(job.job, AssignmentAction.STOP)));
        SimulatedAgent spare = job.replaced(dead, "twice-spare");
        job.evicted(spare);
        job.placed();
        JsonNode again = job.await(
                view -> view.get("failedNodes").toString().contains("twice-spare"), "lost again before it began");
        assertThat(again.get("generation").intValue()).isEqualTo(2);
        assertThat(again.get("state").stringValue()).isEqualTo("RECOVERING");
        assertThat(healthy.desired(0).assignments()).isEmpty();
        SimulatedAgent other = job.replaced(spare, "twice-other");
        job.placed();
        assertThat(other.await(job.job, AssignmentAction.PREFLIGHT).generation())
                .isEqualTo(3);
        job.user.post("/api/v1/jobs/" + job.job + "/cancel", "");
        JsonNode cancelled = job.allGone().awaitState(JobPhase.CANCELLED);
        assertThat(cancelled.get("restarts").get("platform").get("used").intValue())
                .isEqualTo(1);
        for (int i = 0;
                i < 1500
                        && heard.of(job.job).stream()
                                .noneMatch(state -> state.phase().ended());
                i++) {
            JobScenario.pause();
        }
        assertThat(heard.of(job.job).getLast().releasedMembers()).containsExactlyInAnyOrder(healthy.node, other.node);
        assertThat(heard.of(job.job).getLast().generation()).isEqualTo(3);
    }

    @Test
    void aRepairThatDoesNotComeInTimeReleasesTheWholeGang() {
        JobScenario job = job("norepair", CHECKPOINTS).running();
        SimulatedAgent dead = job.agents.getFirst();
        SimulatedAgent healthy = job.agents.get(1);
        job.evicted(dead);
        healthy.report(healthy.gone(healthy.await(job.job, AssignmentAction.STOP)));
        assertThat(job.state()).isEqualTo("RECOVERING");
        jdbc.sql("update attempt set decided_at = decided_at - interval '600 s' where job_id = :job")
                .param("job", job.job.value())
                .update();
        jdbc.sql(
                        "update job set wake_at = now(), gang = replace(gang, '\"noticedAt\":\"20', '\"noticedAt\":\"19') where job_id = :job")
                .param("job", job.job.value())
                .update();
        JsonNode waiting = job.awaitState(JobPhase.QUEUED);
        assertThat(waiting.get("message").stringValue()).contains("600 s").contains(dead.node.value());
        job.replaced(dead, "norepair-other");
        assertThat(job.placed()
                        .preflightPassed()
                        .ranksUp()
                        .awaitState(JobPhase.RUNNING)
                        .get("attempt")
                        .intValue())
                .isEqualTo(2);
    }

    @Test
    void aSilentNodeWithoutAHoldIsAskedAboutUntilItIsFit() {
        JobScenario job = job("inquestion", CHECKPOINTS).running();
        SimulatedAgent silent = job.agents.getFirst();
        SimulatedAgent healthy = job.agents.get(1);
        script.fitness.put(silent.node, new Fitness(silent.node, true, false, List.of(), true));
        healthy.report(healthy.exited(job.task(healthy, AssignmentAction.RUN), ExitCause.LOST_CONNECTION, 1, "reset"));
        healthy.desired(0);
        healthy.report();
        JsonNode waiting = job.await(
                view -> view.get("message").stringValue().contains("control-plane incident"), "waiting for health");
        assertThat(waiting.get("state").stringValue()).isEqualTo("RUNNING");
        script.fitness.put(silent.node, new Fitness(silent.node, true, false, List.of(), false));
        JsonNode recovering = job.awaitState(JobPhase.RECOVERING);
        assertThat(recovering.get("reason").stringValue()).isEqualTo("NODE_LOST");
        job.allGone();
        assertThat(job.state()).isEqualTo("RECOVERING");
        assertThat(job.view().get("attempt").intValue()).isEqualTo(1);
        script.fitness.clear();
        JsonNode running = job.preflightPassed().ranksUp().awaitState(JobPhase.RUNNING);
        assertThat(running.get("attempt").intValue()).isEqualTo(2);
        assertThat(running.get("generation").intValue()).isEqualTo(1);
        assertThat(running.get("restarts").get("platform").get("used").intValue())
                .isEqualTo(1);
    }

    @Test
    void aDamagedCheckpointLeadsToTheNextOlderOneAndIsNeverPassedOverUnasked() {
        script.restore = restored(40);
        JobScenario job = job("damaged", CHECKPOINTS).placed();
        SimulatedAgent first = job.agents.getFirst();
        CheckpointId newest = new CheckpointId("chk_00000000001");
        first.report(first.damaged(first.await(job.job, AssignmentAction.PREFLIGHT), newest));
        JsonNode recovering = job.awaitState(JobPhase.RECOVERING);
        assertThat(recovering.get("reason").stringValue()).isEqualTo("CHECKPOINT_DAMAGED");
        assertThat(recovering.get("message").stringValue())
                .contains(newest.value())
                .contains("step 40");
        script.restore = new Answer.Missing<>("checkpoint-service did not answer; it is asked again");
        job.allGone();
        job.await(view -> view.get("reason").stringValue().equals("WAITING_FOR_CHECKPOINT_SERVICE"), "waiting");
        assertThat(first.desired(0).assignments()).as("never fresh").isEmpty();
        script.restore = new Answer.Given<>(new RestoreDecision(
                RestoreVerdict.FRESH, null, 0, List.of(), "no whole checkpoint is left: chk_00000000001 is corrupt"));
        JsonNode running = job.preflightPassed().ranksUp().awaitState(JobPhase.RUNNING);
        assertThat(script.restores)
                .allMatch(request -> request.attempt() == 1
                        ? request.damaged().isEmpty()
                        : request.damaged().equals(List.of(newest)));
        assertThat(running.get("attempt").intValue()).isEqualTo(2);
        assertThat(running.get("generation").intValue()).isEqualTo(1);
        assertThat(running.get("message").stringValue()).contains("started from the beginning");
        assertThat(running.get("restarts").get("platform").get("used").intValue())
                .isZero();
        assertThat(running.get("restarts").get("user").get("used").intValue()).isZero();
        assertThat(job.user.get("/api/v1/jobs/" + job.job + "/timeline").text())
                .contains("attempt 2 starts from the beginning: no whole checkpoint is left");
    }

    @Test
    void killedProcessesStartAgainOnTheSameNodes() {
        double before = restarts("KILLED_BY_SIGNAL");
        JobScenario job = job("inplace", CHECKPOINTS + ", \"faultTolerance\": {\"userRestarts\": 1}")
                .running();
        script.restore = restored(40);
        for (SimulatedAgent agent : job.agents) {
            agent.report(agent.exited(job.task(agent, AssignmentAction.RUN), ExitCause.SIGNAL, 137, null));
        }
        assertThat(job.view().get("reason").stringValue()).isEqualTo("WAITING_FOR_EVIDENCE");
        job.evidenceHeard().awaitState(JobPhase.RECOVERING);
        job.allGone().preflightPassed();
        assertThat(job.state()).as("until all ranks are up").isEqualTo("RECOVERING");
        JsonNode running = job.ranksUp().awaitState(JobPhase.RUNNING);
        assertThat(running.get("attempt").intValue()).isEqualTo(2);
        assertThat(running.get("generation").intValue()).isEqualTo(1);
        assertThat(running.get("restarts").get("user").get("used").intValue()).isEqualTo(1);
        assertThat(running.get("message").stringValue()).contains("restored checkpoint chk_00000000001 of step 40");
        assertThat(restarts("KILLED_BY_SIGNAL")).isEqualTo(before + 1);
        JsonNode attempts =
                job.user.get("/api/v1/jobs/" + job.job + "/attempts").json().get("items");
        assertThat(attempts.valueStream().map(one -> one.get("stage").stringValue()))
                .contains("ENDED", "RUN");
        job.completed().allGone().awaitState(JobPhase.SUCCEEDED);
        assertThat(heard.of(job.job))
                .noneMatch(state -> state.phase() == JobPhase.RECOVERING
                        && !state.releasedMembers().isEmpty());
    }

    private static List<String> states(JobScenario job) {
        List<String> all = job.user
                .get("/api/v1/jobs/" + job.job + "/timeline")
                .json()
                .get("items")
                .valueStream()
                .map(entry -> entry.get("state").stringValue())
                .toList();
        return java.util.stream.IntStream.range(0, all.size())
                .filter(i -> i == 0 || !all.get(i).equals(all.get(i - 1)))
                .mapToObj(all::get)
                .toList();
    }

    private static List<String> reasons(JobScenario job) {
        return job.user
                .get("/api/v1/jobs/" + job.job + "/timeline")
                .json()
                .get("items")
                .valueStream()
                .map(entry -> entry.get("reason").stringValue())
                .toList();
    }

    private double restarts(String cause) {
        return meters.counter("muster.job.restarts", "cause", cause).count();
    }

    private long waits() {
        return meters.find("muster.job.wait").tag("queue", "default").timers().stream()
                .mapToLong(Timer::count)
                .sum();
    }

    private static Answer<RestoreDecision> restored(long step) {
        return new Answer.Given<>(new RestoreDecision(
                RestoreVerdict.RESTORED, new CheckpointId("chk_00000000001"), step, List.of(), "the newest commit"));
    }
}
