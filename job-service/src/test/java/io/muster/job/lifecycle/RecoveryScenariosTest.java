package io.muster.job.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.muster.contract.agent.Assignment;
import io.muster.contract.agent.AssignmentAction;
import io.muster.contract.agent.ExitCause;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.job.JobPhase;
import io.muster.contract.job.JobState;
import io.muster.contract.quota.QuotaNode;
import io.muster.contract.quota.QuotaTree;
import io.muster.job.JobServiceTest;
import io.muster.job.TestNeighbours;
import io.muster.job.neighbour.Answer;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

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
        QuotaTree tree = new QuotaTree(
                1,
                List.of(
                        new QuotaNode(QueuePath.ROOT, 64, null, 1, false, false, false, null, List.of()),
                        new QuotaNode(new QueuePath("default"), 0, null, 1, false, true, false, null, List.of())));
        jdbc.sql(
                        "insert into quota_view (version, tree) values (1, :tree) on conflict (only_one) do update set tree = excluded.tree")
                .param("tree", JsonMapper.builder().build().writeValueAsString(tree))
                .update();
    }

    private JobScenario job(String name, String more) {
        return new JobScenario(port, placements, nodes).submitted(name, 2, more);
    }

    @Test
    void aJobSurvivesALostNode() {
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
        JsonNode waiting = job.awaitState(JobPhase.QUEUED);
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

        job.nodeSays(dead.node, 1, List.of());
        assertThat(job.view().get("failedNodes").isEmpty()).as("the same life").isFalse();
        job.nodeSays(dead.node, 2, List.of());
        assertThat(job.view().get("failedNodes").isEmpty()).as("a new life").isTrue();
        dead.session = 2;
        dead.report(dead.exited(old, ExitCause.USER_ERROR, 1, "from the grave"), dead.gone(old));
        assertThat(job.state()).isEqualTo("RUNNING");

        JsonNode done = job.completed().allGone().awaitState(JobPhase.SUCCEEDED);
        assertThat(done.get("attempt").intValue()).isEqualTo(2);
        assertThat(states(job))
                .containsExactly(
                        "QUEUED",
                        "STARTING",
                        "RUNNING",
                        "RECOVERING",
                        "QUEUED",
                        "STARTING",
                        "RUNNING",
                        "STOPPING",
                        "SUCCEEDED");
        assertThat(restarts("NODE_LOST")).isEqualTo(before + 1);
        for (int i = 0;
                i < 1500 && heard.of(job.job).stream().noneMatch(state -> state.phase() == JobPhase.SUCCEEDED);
                i++) {
            JobScenario.pause();
        }
        assertThat(heard.of(job.job))
                .filteredOn(state -> state.phase() == JobPhase.QUEUED && state.generation() == 1)
                .isNotEmpty()
                .allMatch(JobState::requeued)
                .allMatch(state -> state.releasedMembers().size() == 2)
                .allMatch(state -> state.failedNodes().contains(dead.node));
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
        job.awaitState(JobPhase.RECOVERING);
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

    private double restarts(String cause) {
        return meters.counter("muster.job.restarts", "cause", cause).count();
    }

    private static Answer<RestoreDecision> restored(long step) {
        return new Answer.Given<>(new RestoreDecision(
                RestoreVerdict.RESTORED, new CheckpointId("chk_00000000001"), step, List.of(), "the newest commit"));
    }
}
