package io.muster.job.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.EventType;
import io.muster.contract.Topics;
import io.muster.contract.agent.Assignment;
import io.muster.contract.agent.AssignmentAction;
import io.muster.contract.agent.DesiredState;
import io.muster.contract.agent.ExitCause;
import io.muster.contract.agent.MemberPhase;
import io.muster.contract.agent.NodeReport;
import io.muster.contract.checkpoint.CheckpointState;
import io.muster.contract.checkpoint.Durability;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.NodeId;
import io.muster.contract.job.JobPhase;
import io.muster.contract.job.JobState;
import io.muster.contract.node.PreflightVerdict;
import io.muster.job.JobServiceTest;
import io.muster.job.TestNeighbours;
import io.muster.job.TestQuota;
import io.muster.job.neighbour.Answer;
import io.muster.messaging.Outbox;
import io.muster.messaging.OutgoingEvent;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.JsonNode;

/** Whole lives of jobs with agents that speak the real protocol. */
@JobServiceTest
class JobScenariosTest {

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
    Outbox outbox;

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

    @Test
    void aJobRunsToItsEnd() {
        JobScenario job = job("happy", 2).running();
        SimulatedAgent first = job.agents.getFirst();
        Assignment task = job.task(first, AssignmentAction.RUN);
        assertThat(task.task().rendezvous().masterPort()).isEqualTo(29500);
        assertThat(task.task().members()).hasSize(2);
        first.report(first.result(task, 42, Map.of("loss", 0.25)));
        JsonNode view = job.completed().allGone().awaitState(JobPhase.SUCCEEDED);
        assertThat(view.get("progress").get("step").intValue()).isEqualTo(42);
        assertThat(view.get("result").get("loss").doubleValue()).isEqualTo(0.25);
        assertThat(view.get("endedAt").isNull()).isFalse();
        assertThat(first.desired(0).assignments()).isEmpty();
        JsonNode timeline =
                job.user.get("/api/v1/jobs/" + job.job + "/timeline").json().get("items");
        assertThat(timeline.valueStream()
                        .map(entry -> entry.get("state").stringValue())
                        .distinct())
                .containsExactly("QUEUED", "STARTING", "RUNNING", "STOPPING", "SUCCEEDED");
        JsonNode attempts =
                job.user.get("/api/v1/jobs/" + job.job + "/attempts").json().get("items");
        assertThat(attempts.size()).isEqualTo(1);
        assertThat(attempts.get(0).get("members").get(0).get("ranks").size()).isEqualTo(2);
        awaitHeard(job, state -> state.phase() == JobPhase.SUCCEEDED);
        List<JobState> states = heard.of(job.job);
        assertThat(states.getLast().releasedMembers()).hasSize(2);
        assertThat(states.getLast().wantsGpus()).isFalse();
    }

    private void awaitHeard(JobScenario job, java.util.function.Predicate<JobState> condition) {
        for (int i = 0; i < 1500 && heard.of(job.job).stream().noneMatch(condition); i++) {
            JobScenario.pause();
        }
        assertThat(heard.of(job.job)).anyMatch(condition);
    }

    @Test
    void aUserErrorEndsTheJobWithRankNodeCodeAndLastLine() {
        JobScenario job = job("usererror", 2).running();
        SimulatedAgent second = job.agents.get(1);
        SimulatedAgent first = job.agents.getFirst();
        first.report(
                first.exited(job.task(first, AssignmentAction.RUN), ExitCause.LOST_CONNECTION, 1, "connection reset"));
        second.report(
                second.exited(job.task(second, AssignmentAction.RUN), ExitCause.USER_ERROR, 1, "ValueError: boom"));
        JsonNode view = job.allGone().awaitState(JobPhase.FAILED);
        assertThat(view.get("reason").stringValue()).isEqualTo("USER_ERROR");
        assertThat(view.get("message").stringValue())
                .contains("rank 2")
                .contains("usererror-n1")
                .contains("code 1")
                .contains("ValueError: boom");
        assertThat(view.get("attempt").intValue()).isEqualTo(1);
        assertThat(view.get("failedNodes").isEmpty()).isTrue();
    }

    @Test
    void aFailedPreflightIsPlacedAnewAsGenerationTwo() {
        JobScenario job = job("preflight", 2).placed();
        SimulatedAgent bad = job.agents.get(1);
        script.verdict = new Answer.Given<>(new PreflightVerdict(false, List.of(), "asking an arbiter"));
        bad.report(bad.failedPreflight(bad.await(job.job, AssignmentAction.PREFLIGHT)));
        job.awaitState(JobPhase.RECOVERING);
        job.allGone();
        assertThat(job.state()).isEqualTo("RECOVERING");
        script.verdict = new Answer.Given<>(new PreflightVerdict(true, List.of(bad.node), "its disk is full"));
        JsonNode view = job.awaitState(JobPhase.QUEUED);
        assertThat(view.get("reason").stringValue()).isEqualTo("REQUEUED");
        assertThat(view.get("failedNodes").get(0).stringValue()).isEqualTo(bad.node.value());
        job.placed().preflightPassed().ranksUp();
        JsonNode running = job.awaitState(JobPhase.RUNNING);
        assertThat(running.get("generation").intValue()).isEqualTo(2);
        assertThat(running.get("attempt").intValue()).isEqualTo(2);
    }

    @Test
    void aJobWithoutAnAnswerFromTheCheckpointServiceWaitsAndNeverStartsFresh() {
        script.restore = new Answer.Missing<>("checkpoint-service is not available");
        JobScenario job = job("norestore", 1).placed();
        JsonNode waiting =
                job.await(view -> view.get("reason").stringValue().equals("WAITING_FOR_CHECKPOINT_SERVICE"), "waiting");
        assertThat(waiting.get("state").stringValue()).isEqualTo("STARTING");
        assertThat(job.agents.getFirst().desired(0).assignments()).isEmpty();
        script.reset();
        job.preflightPassed().ranksUp().awaitState(JobPhase.RUNNING);
    }

    @Test
    void cancelEndsTheJobFromEveryPhase() {
        JobScenario queued = job("cancelqueued", 1);
        assertThat(queued.user
                        .post("/api/v1/jobs/" + queued.job + "/cancel", "")
                        .status())
                .isEqualTo(202);
        assertThat(queued.state()).isEqualTo("CANCELLED");

        JobScenario preflight = job("cancelpreflight", 2).placed();
        preflight.agents.getFirst().await(preflight.job, AssignmentAction.PREFLIGHT);
        cancelAndClear(preflight);

        JobScenario starting = job("cancelstarting", 2).placed().preflightPassed();
        cancelAndClear(starting);

        JobScenario running = job("cancelrunning", 2).running();
        cancelAndClear(running);

        JobScenario late = job("cancellate", 1);
        late.user.post("/api/v1/jobs/" + late.job + "/cancel", "");
        late.placed();
        awaitHeard(
                late,
                state -> state.generation() == 1 && state.releasedMembers().size() == 1);
        assertThat(late.state()).isEqualTo("CANCELLED");
    }

    private static void cancelAndClear(JobScenario job) {
        assertThat(job.user.post("/api/v1/jobs/" + job.job + "/cancel", "").status())
                .isEqualTo(202);
        assertThat(job.state()).isEqualTo("STOPPING");
        assertThat(job.user.post("/api/v1/jobs/" + job.job + "/cancel", "").status())
                .isEqualTo(202);
        job.allGone();
        assertThat(job.state()).isEqualTo("CANCELLED");
        assertThat(job.user.post("/api/v1/jobs/" + job.job + "/cancel", "").status())
                .isEqualTo(202);
        assertThat(job.state()).isEqualTo("CANCELLED");
    }

    @Test
    void aLostNodeFailsTheRunningJobWithoutARestartLeftAndKeepsItsStopUntilItComesBack() {
        JobScenario job = new JobScenario(port, placements, nodes)
                .submitted("nodelost", 2, ", \"faultTolerance\": {\"platformRestarts\": 0}")
                .running();
        SimulatedAgent dead = job.agents.getFirst();
        job.evicted(dead);
        SimulatedAgent other = job.agents.get(1);
        other.report(other.gone(other.await(job.job, AssignmentAction.STOP)));
        JsonNode view = job.awaitState(JobPhase.FAILED);
        assertThat(view.get("reason").stringValue()).isEqualTo("NODE_LOST");
        assertThat(view.get("message").stringValue())
                .contains(dead.node.value())
                .contains("0 of 0 platform restarts");
        Assignment stop = dead.await(job.job, AssignmentAction.STOP);
        dead.session = 2;
        dead.report(dead.gone(stop));
        assertThat(dead.desired(0).assignments()).isEmpty();
        assertThat(job.state()).isEqualTo("FAILED");
    }

    @Test
    void anAgentThatIsShutDownRequeuesTheJob() {
        JobScenario job = job("agentdown", 2).running();
        for (SimulatedAgent agent : job.agents) {
            agent.report(agent.exited(job.task(agent, AssignmentAction.RUN), ExitCause.AGENT_DOWN, 143, null));
        }
        job.allGone().awaitState(JobPhase.QUEUED);
        job.running();
        assertThat(job.view().get("attempt").intValue()).isEqualTo(2);
        job.completed().allGone().awaitState(JobPhase.SUCCEEDED);
    }

    @Test
    void doubledLateAndForeignReportsChangeNothing() {
        JobScenario job = job("reports", 2).running();
        SimulatedAgent first = job.agents.getFirst();
        Assignment task = job.task(first, AssignmentAction.RUN);
        for (int i = 0; i < 3; i++) {
            first.report(first.up(task), first.passed(task));
        }
        SimulatedAgent stranger = new SimulatedAgent(port, new NodeId("stranger"));
        stranger.desired(0);
        stranger.report(stranger.gone(task));
        assertThat(job.state()).isEqualTo("RUNNING");

        job.nodeSays(first.node, 7, List.of());
        first.session = 6;
        first.report(first.gone(task));
        assertThat(job.view().get("state").stringValue()).as("an ended session").isEqualTo("RUNNING");
        first.session = 8;

        var stale = new io.muster.job.Api(port, io.muster.job.TestDoor.node(first.node))
                .post(
                        "/internal/agents/" + first.node + "/report",
                        new NodeReport(8, "inc_other", 1, List.of(first.gone(task))));
        assertThat(stale.json().get("staleIncarnation").booleanValue()).isTrue();
        assertThat(job.state()).isEqualTo("RUNNING");

        first.report(first.exited(task, ExitCause.COMPLETED, 0, "done"));
        first.report(first.up(task));
        SimulatedAgent second = job.agents.get(1);
        second.report(second.exited(job.task(second, AssignmentAction.RUN), ExitCause.COMPLETED, 0, "done"));
        job.allGone();
        first.report(first.up(task));
        assertThat(job.state()).isEqualTo("SUCCEEDED");
    }

    /** Everything that reaches the service from others goes through the broker here. */
    @Test
    void factsFromTheBrokerLeadAJobToItsEnd() {
        JobScenario job = job("broker", 2);
        NodeId node = job.agents.getFirst().node;
        publish(Topics.NODES, node.value(), EventType.NODE_CHANGED, 1, JobScenario.state(node, 5, List.of()));
        publish(Topics.PLACEMENTS, job.job.value(), EventType.GANG_PLACED, 1, job.placement(1));
        publish(Topics.PLACEMENTS, job.job.value(), EventType.GANG_PLACED, 1, job.placement(1));
        job.agents.getFirst().session = 5;
        job.preflightPassed().ranksUp().awaitState(JobPhase.RUNNING);
        publish(
                Topics.CHECKPOINTS,
                job.job.value(),
                EventType.CHECKPOINT_COMMITTED,
                1,
                new CheckpointState(
                        job.job,
                        JobScenario.TENANT,
                        new CheckpointId("chk_00000000001"),
                        1,
                        20,
                        4,
                        1000,
                        Instant.now(),
                        Instant.now(),
                        Durability.DURABLE,
                        List.of()));
        JsonNode view = job.await(one -> !one.get("checkpoint").isNull(), "told of its checkpoint");
        assertThat(view.get("checkpoint").get("step").intValue()).isEqualTo(20);
        job.wasteIsWhatWasHeld();
        job.completed().allGone().awaitState(JobPhase.SUCCEEDED);
        awaitHeard(job, state -> state.phase() == JobPhase.SUCCEEDED);
    }

    private void publish(String topic, String key, EventType type, long sequence, Object data) {
        transaction.executeWithoutResult(
                status -> outbox.append(new OutgoingEvent(topic, key, type.type(), "test/" + key, sequence, data)));
    }

    @Test
    void placementsOutOfOrderAreIgnored() {
        JobScenario job = job("order", 1).placedAs(3);
        job.placedAs(2);
        job.placedAs(1);
        job.placedAs(3);
        JsonNode view = job.preflightPassed().ranksUp().awaitState(JobPhase.RUNNING);
        assertThat(view.get("generation").intValue()).isEqualTo(3);
        assertThat(view.get("attempt").intValue()).isEqualTo(1);
    }

    @Test
    void theDesiredStateNeverGoesBackAndIsWokenByAChange() {
        JobScenario job = job("revisions", 1);
        SimulatedAgent agent = job.agents.getFirst();
        DesiredState before = agent.desired(0);
        job.placed();
        DesiredState preflight = agent.desired(20);
        assertThat(preflight.revision()).isGreaterThan(before.revision());
        assertThat(preflight.assignments()).extracting(Assignment::action).containsExactly(AssignmentAction.PREFLIGHT);
        assertThat(agent.report(agent.passed(preflight.assignments().getFirst()))
                        .currentRevision())
                .isGreaterThan(preflight.revision());
    }

    @Test
    void aNodeUnderAnEvictHoldIsNoticedBeforeTasksAreGivenOut() {
        JobScenario job = job("evictfirst", 2);
        job.evicted(job.agents.getFirst());
        job.placed();
        JsonNode view = job.await(one -> one.get("reason").stringValue().equals("NODE_LOST"), "stopped");
        assertThat(view.get("failedNodes").get(0).stringValue()).isEqualTo("evictfirst-n0");
        assertThat(job.agents.get(1).desired(0).assignments()).isEmpty();
        job.replaced(job.agents.getFirst(), "evictfirst-spare");
        JsonNode running = job.placed().preflightPassed().ranksUp().awaitState(JobPhase.RUNNING);
        assertThat(running.get("attempt").intValue()).isEqualTo(2);
        assertThat(running.get("restarts").get("platform").get("used").intValue())
                .as("no rank had run")
                .isZero();
    }

    @Test
    void maxRuntimeEndsTheJob() {
        JobScenario job = new JobScenario(port, placements, nodes)
                .submitted("maxruntime", 1, ", \"limits\": {\"maxRuntime\": \"1s\"}")
                .running();
        JsonNode view = job.allGone().awaitState(JobPhase.FAILED);
        assertThat(view.get("reason").stringValue()).isEqualTo("MAX_RUNTIME_EXCEEDED");
    }

    @Test
    void theExplanationIsTheSchedulersWhileItWaitsAndElseTheState() {
        JobScenario job = job("explain", 1);
        String path = "/api/v1/jobs/" + job.job + "/explanation";
        assertThat(job.user.get(path).json().get("reason").stringValue()).isEqualTo("NOT_EVALUATED_YET");
        script.explanation = new Answer.Missing<>("circuit open");
        assertThat(job.user.get(path).json().get("reason").stringValue()).isEqualTo("SCHEDULER_DEGRADED");
        job.user.post("/api/v1/jobs/" + job.job + "/cancel", "");
        assertThat(job.user.get(path).json().get("sentence").stringValue()).contains("CANCELLED");
    }

    @Test
    void aMemberThatIsGoneBeforeItsTurnIsGivenUp() {
        JobScenario job = job("gone", 1).placed();
        SimulatedAgent agent = job.agents.getFirst();
        Assignment task = agent.await(job.job, AssignmentAction.PREFLIGHT);
        assertThat(agent.gone(task).phase()).isEqualTo(MemberPhase.GONE);
        agent.report(agent.gone(task));
        assertThat(job.view().get("reason").stringValue()).isEqualTo("REQUEUED");
        JsonNode timeline =
                job.user.get("/api/v1/jobs/" + job.job + "/timeline").json().get("items");
        assertThat(timeline.valueStream()
                        .map(entry -> entry.get("state").stringValue())
                        .distinct())
                .as("also a state that lasted no time")
                .containsExactly("QUEUED", "STARTING", "RECOVERING");
        assertThat(timeline.get(timeline.size() - 1).get("state").stringValue()).isEqualTo("QUEUED");
        assertThat(Optional.of(job.view().get("attempt").intValue())).contains(1);
    }
}
