package io.muster.checkpoint.catalog;

import static io.muster.checkpoint.catalog.Checkpoints.JOB;
import static io.muster.checkpoint.catalog.Checkpoints.committed;
import static io.muster.checkpoint.catalog.Checkpoints.of;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.checkpoint.catalog.ReserveRules.Reservation;
import io.muster.contract.checkpoint.CheckpointPhase;
import io.muster.contract.checkpoint.ReserveCheckpoint;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.TenantId;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ReserveRulesTest {

    private static final JobHead HEAD = new JobHead(JOB, new TenantId("research"), new ProjectId("llm"), 3, 1, 1, null);

    @Test
    void theActingAttemptBeginsAStepAboveWhereItStartedAndAboveItsCommits() {
        assertThat(judge(3, 41, 4, start(RestoreVerdict.RESTORED, 40), null, null))
                .isEqualTo(new Reservation.Open());
        assertThat(judge(3, 40, 4, start(RestoreVerdict.RESTORED, 40), null, null))
                .isEqualTo(
                        new Reservation.Refused("step 40 is not after step 40, from which attempt 3 started", false));
        assertThat(judge(3, 50, 4, start(RestoreVerdict.RESTORED, 40), null, committed(1, 3, 50, 4)))
                .isEqualTo(new Reservation.Refused(
                        "step 50 is not after step 50, which attempt 3 has committed as chk_00000001", false));
        assertThat(judge(3, 1, 4, start(RestoreVerdict.FRESH, 0), null, null)).isEqualTo(new Reservation.Open());
    }

    @Test
    void anEarlierAttemptIsFencedWhateverElseIsTrue() {
        assertThat(judge(2, 90, 4, start(RestoreVerdict.FRESH, 0), of(1, 2, 90, 4, CheckpointPhase.COMMITTED), null))
                .isInstanceOfSatisfying(
                        Reservation.Fenced.class,
                        fenced -> assertThat(fenced.message())
                                .isEqualTo(
                                        "attempt 2 of job_00000001 is over: attempt 3 has begun, and nothing of an earlier"
                                                + " one is taken any more"));
    }

    @Test
    void aLaterAttemptMayAskAgain() {
        assertThat(judge(4, 90, 4, null, null, null)).isInstanceOfSatisfying(Reservation.Refused.class, refused -> {
            assertThat(refused.retryable()).isTrue();
            assertThat(refused.message()).contains("attempt 4", "the newest that has is 3");
        });
        assertThat(ReserveRules.judge(new ReserveCheckpoint(JOB, 1, 1, 4), null, null, null, null))
                .isInstanceOfSatisfying(
                        Reservation.Refused.class,
                        refused -> assertThat(refused.retryable()).isTrue());
    }

    @Test
    void anAttemptThatMayNotStartSavesNothing() {
        assertThat(judge(3, 90, 4, start(RestoreVerdict.REFUSED, 0), null, null))
                .isEqualTo(new Reservation.Refused("attempt 3 may not start, so it saves nothing: why", false));
    }

    @Test
    void everyRankTakesPart() {
        assertThat(judge(3, 90, 3, start(RestoreVerdict.FRESH, 0), null, null))
                .isEqualTo(new Reservation.Refused(
                        "attempt 3 has 4 ranks, the checkpoint of step 90 would have 3", false));
    }

    @Test
    void theSameStepIsTheSameCheckpointUnlessItWasAbandoned() {
        Checkpoint reserved = of(1, 3, 50, 4, CheckpointPhase.RESERVED);
        assertThat(judge(3, 50, 4, start(RestoreVerdict.FRESH, 0), reserved, null))
                .isEqualTo(new Reservation.Known(reserved));
        Checkpoint done = committed(1, 3, 50, 4);
        assertThat(judge(3, 50, 4, start(RestoreVerdict.FRESH, 0), done, done)).isEqualTo(new Reservation.Known(done));
        assertThat(judge(3, 50, 4, start(RestoreVerdict.FRESH, 0), of(1, 3, 50, 4, CheckpointPhase.ABANDONED), null))
                .isEqualTo(new Reservation.Refused(
                        "chk_00000001 of step 50 was abandoned: overtaken. Save at a later step", false));
    }

    private static Reservation judge(
            int attempt,
            long step,
            int worldSize,
            @Nullable AttemptStart start,
            @Nullable Checkpoint known,
            @Nullable Checkpoint newest) {
        return ReserveRules.judge(new ReserveCheckpoint(JOB, attempt, step, worldSize), HEAD, start, known, newest);
    }

    private static AttemptStart start(RestoreVerdict verdict, long step) {
        return new AttemptStart(3, 4, "latest", verdict, null, step, null, "why");
    }
}
