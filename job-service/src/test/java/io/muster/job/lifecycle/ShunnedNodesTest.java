package io.muster.job.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.muster.contract.agent.AssignmentAction;
import io.muster.contract.job.JobPhase;
import io.muster.contract.node.Hold;
import io.muster.contract.node.HoldEffect;
import io.muster.contract.node.HoldScope;
import io.muster.contract.node.PreflightVerdict;
import io.muster.job.JobServiceTest;
import io.muster.job.TestNeighbours;
import io.muster.job.TestQuota;
import io.muster.job.neighbour.Answer;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.core.type.TypeReference;

/** Nodes blamed for a failed start, with all that is kept between two looks in the database. */
@JobServiceTest
class ShunnedNodesTest {

    @LocalServerPort
    int port;

    @Autowired
    PlacementListener placements;

    @Autowired
    NodeListener nodes;

    @Autowired
    JdbcClient jdbc;

    @Autowired
    DataSource source;

    @Autowired
    TestNeighbours.Script script;

    @BeforeEach
    void aQuotaTree() {
        script.reset();
        TestQuota.heardOfOneQueue(jdbc);
    }

    /** Both nodes failed a start and are blamed; the job waits again. */
    private JobScenario blamed(String name) {
        JobScenario job =
                new JobScenario(port, placements, nodes).submitted(name, 2, "").placed();
        script.verdict = new Answer.Given<>(new PreflightVerdict(
                true, job.agents.stream().map(agent -> agent.node).toList(), "their checks took too long"));
        SimulatedAgent slow = job.agents.getFirst();
        slow.report(slow.failedPreflight(slow.await(job.job, AssignmentAction.PREFLIGHT)));
        job.awaitState(JobPhase.RECOVERING);
        job.allGone().awaitState(JobPhase.QUEUED);
        assertThat(shunned(job)).containsExactly(name + "-n0", name + "-n1");
        return job;
    }

    private static Stream<String> shunned(JobScenario job) {
        return job.view().get("failedNodes").valueStream().map(node -> node.stringValue());
    }

    @Test
    void aNodeThatHealthServiceShowsFreeOfHoldsIsBackAtOnce() {
        JobScenario job = blamed("forgiven");
        SimulatedAgent slow = job.agents.getFirst();
        job.nodeSays(slow.node, 1, List.of(hold(HoldScope.NODE, slow.node.value(), HoldEffect.NO_NEW_WORK)));
        assertThat(shunned(job)).hasSize(2);
        job.nodeSays(slow.node, 1, List.of());
        assertThat(shunned(job)).containsExactly("forgiven-n1");
        job.nodeSays(job.agents.get(1).node, 1, List.of(hold(HoldScope.GPU, "forgiven-n1/0", HoldEffect.NO_NEW_WORK)));
        assertThat(shunned(job)).as("its other GPUs take work").isEmpty();
        job.placed().preflightPassed().ranksUp().awaitState(JobPhase.RUNNING);
    }

    @Test
    void aJobThatHasWaitedForAMinuteLooksAgainByItselfAndHasTheNodesBack() {
        JobScenario job = blamed("patient");
        assertThat(jdbc.sql(
                                "select extract(epoch from wake_at - phase_since) between 55 and 65 from job where job_id = :job")
                        .param("job", job.job.value())
                        .query(Boolean.class)
                        .single())
                .as("it will look a minute after it began to wait")
                .isTrue();
        jdbc.sql("""
                update job set phase_since = phase_since - interval '2 minutes', wake_at = now(),
                    shunned = regexp_replace(shunned, '"since":"[^"]*"', '"since":"2026-01-01T00:00:00Z"', 'g')
                where job_id = :job""").param("job", job.job.value()).update();
        job.await(view -> view.get("failedNodes").isEmpty(), "given back");
        job.placed().preflightPassed().ranksUp().awaitState(JobPhase.RUNNING);
    }

    @Test
    void anEvictHoldOnAGpuWoundsNobody() {
        JobScenario job = new JobScenario(port, placements, nodes)
                .submitted("gpuhold", 2, "")
                .running();
        job.nodeSays(job.agents.getFirst().node, 1, List.of(hold(HoldScope.GPU, "gpuhold-n0/0", HoldEffect.EVICT)));
        assertThat(job.state()).isEqualTo("RUNNING");
        assertThat(shunned(job)).isEmpty();
        job.completed().allGone().awaitState(JobPhase.SUCCEEDED);
    }

    /** Jobs that were waiting when the list got its times: they are looked at, and have the nodes back in a minute. */
    @Test
    void nodesListedByAnEarlierVersionAreListedWithATime() {
        FluentConfiguration earlier = Flyway.configure()
                .dataSource(source)
                .schemas("earlier")
                .locations("classpath:db/job")
                .target("23");
        earlier.load().migrate();
        jdbc.sql("""
                insert into earlier.job (job_id, tenant, project, queue, name, labels, spec, submitted_spec, nodes, gpus,
                    phase, reason, message, phase_since, submitted_at, sequence, row_version, generation, attempt, released,
                    requeued, preflight_rounds, ran_millis, failed_nodes, lost_nodes)
                values ('job_1', 't', 'p', 'q', 'n', '{}', '', '', 1, 8, 'QUEUED', 'REQUEUED', '', now(), now(), 1, 1, 0, 0,
                    '[]', false, 0, 0, '["n2","n0"]', '[{"node":"n1","session":7}]')""").update();
        earlier.target("24").load().migrate();
        List<Shunned> shunned = new StoredJson()
                .read(
                        jdbc.sql("select shunned from earlier.job where wake_at is not null")
                                .query(String.class)
                                .single(),
                        new TypeReference<List<Shunned>>() {});
        assertThat(shunned)
                .extracting(one -> one.node().value(), Shunned::lostInSession)
                .containsExactly(tuple("n0", null), tuple("n1", 7L), tuple("n2", null));
        assertThat(shunned)
                .allMatch(one -> one.since().isBefore(Instant.now().plusSeconds(5))
                        && one.since().isAfter(Instant.now().minusSeconds(60)));
    }

    private static Hold hold(HoldScope scope, String target, HoldEffect effect) {
        return new Hold("hold_1", scope, target, effect, "CHECK_FAILED", "", "health", 1, Instant.now(), null);
    }
}
