package io.muster.scheduler.intake;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.id.JobId;
import io.muster.contract.job.JobPhase;
import io.muster.contract.job.JobState;
import io.muster.scheduler.Given;
import io.muster.scheduler.Schema;
import io.muster.scheduler.intake.ProjectionRepository.Changes;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

class ProjectionRepositoryTest {

    private Schema schema;
    private ProjectionRepository projections;
    private TransactionTemplate writing;
    private TransactionTemplate reading;

    @BeforeEach
    void start() {
        schema = Schema.fresh();
        projections =
                new ProjectionRepository(schema.sql(), JsonMapper.builder().build());
        writing = schema.transactions(TransactionDefinition.ISOLATION_READ_COMMITTED);
        reading = schema.transactions(TransactionDefinition.ISOLATION_REPEATABLE_READ);
    }

    /** Job 1 is written first and commits last; a cursor by a number taken at writing would step over it. */
    @Test
    void aTransactionThatCommitsLateIsNotMissed() {
        String[] horizon = {ProjectionRepository.FROM_THE_BEGINNING};
        writing.executeWithoutResult(_ -> {
            projections.save(job(1), 1);
            writing.executeWithoutResult(_ -> projections.save(job(2), 1));

            Changes first = read(horizon[0]);
            assertThat(ids(first)).containsExactly(Given.job(2));
            Changes again = read(first.nextHorizon());
            assertThat(ids(again)).as("read twice while the other is open").containsExactly(Given.job(2));
            horizon[0] = again.nextHorizon();
        });

        Changes after = read(horizon[0]);
        assertThat(ids(after)).contains(Given.job(1));
        assertThat(ids(read(after.nextHorizon())))
                .as("nothing is open any more")
                .isEmpty();
    }

    @Test
    void everyKindOfChangeIsReadOnceWithItsSequence() {
        String horizon = read(ProjectionRepository.FROM_THE_BEGINNING).nextHorizon();
        writing.executeWithoutResult(_ -> {
            projections.save(job(1), 3);
            projections.save(Given.healthy(Given.node(1, 1), "rack-1"), 4);
            projections.save(Given.tree(5, 24L), 5);
        });

        Changes changes = read(horizon);

        assertThat(changes.jobs()).containsExactly(new ProjectionRepository.Sequenced<>(job(1), 3));
        assertThat(changes.nodes())
                .containsExactly(new ProjectionRepository.Sequenced<>(Given.healthy(Given.node(1, 1), "rack-1"), 4));
        assertThat(changes.quotas()).contains(new ProjectionRepository.Sequenced<>(Given.tree(5, 24L), 5));
        assertThat(read(changes.nextHorizon()).isEmpty()).isTrue();
    }

    @Test
    void aProjectionNeverGoesBack() {
        projections.save(Given.phase(job(1), JobPhase.RUNNING, 1, List.of()), 7);
        projections.save(job(1), 7);
        projections.save(job(1), 6);

        assertThat(read(ProjectionRepository.FROM_THE_BEGINNING)
                        .jobs()
                        .getFirst()
                        .state()
                        .phase())
                .isEqualTo(JobPhase.RUNNING);
    }

    @Test
    void fromTheBeginningJobsThatAreOverAreLeftOut() {
        projections.save(Given.phase(job(1), JobPhase.FAILED, 0, List.of()), 1);
        projections.save(Given.phase(job(2), JobPhase.FAILED, 0, List.of()), 1);
        projections.save(job(3), 1);
        schema.sql().sql("""
                INSERT INTO allocation VALUES ('job_00000002', 1, 1, 'acme', 'llm', 'research', 'NODE', 'r1-n1', now(),
                    NULL, 1)""").update();

        assertThat(ids(read(ProjectionRepository.FROM_THE_BEGINNING)))
                .as("job 2 has ended and holds a gang it has not answered for")
                .containsExactly(Given.job(2), Given.job(3));
    }

    private Changes read(String horizon) {
        return reading.execute(_ -> projections.changedSince(horizon));
    }

    private static JobState job(int number) {
        return Given.queued(Given.job(number), Given.gang(1, 8));
    }

    private static List<JobId> ids(Changes changes) {
        return changes.jobs().stream().map(job -> job.state().jobId()).toList();
    }
}
