package io.muster.job.lifecycle;

import static io.muster.job.lifecycle.JobFixture.T0;
import static io.muster.job.lifecycle.JobFixture.allGone;
import static io.muster.job.lifecycle.JobFixture.answered;
import static io.muster.job.lifecycle.JobFixture.inPreflight;
import static io.muster.job.lifecycle.JobFixture.lost;
import static io.muster.job.lifecycle.JobFixture.node;
import static io.muster.job.lifecycle.JobFixture.placement;
import static io.muster.job.lifecycle.JobFixture.queued;
import static io.muster.job.lifecycle.JobFixture.running;
import static io.muster.job.lifecycle.JobFixture.toldToRun;
import static io.muster.job.lifecycle.JobFixture.up;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.agent.AttemptReport;
import io.muster.contract.agent.MemberPhase;
import io.muster.contract.agent.Progress;
import io.muster.contract.id.NodeId;
import io.muster.job.waste.AttemptSpan;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WasteRecordsTest {

    private static final WasteRecords.Commit COMMIT =
            new WasteRecords.Commit("chk_00000000001", 40, T0.plusSeconds(40));

    private static Job told(Job job, long step, Map<String, Double> metrics, Instant now) {
        AttemptReport report = new AttemptReport(
                JobFixture.ID,
                job.attemptOrThrow().number(),
                MemberPhase.RUNNING,
                null,
                null,
                List.of(),
                List.of(),
                new Progress(step, null, metrics, now),
                null,
                null);
        return AttemptDecisions.reported(job, node(0), report, now);
    }

    private static Map<String, Double> stall(double seconds) {
        return Map.of("muster_checkpoint_stall_seconds", seconds);
    }

    @Test
    void anAttemptTrainsFromItsFirstStepUntilItBreaks() {
        Job job = told(running(queued(2, 20, 0)), 1, stall(0.25), T0.plusSeconds(5));
        job = told(job, 50, stall(1.5), T0.plusSeconds(50));
        job = told(job, 49, stall(1.25), T0.plusSeconds(51));
        Attempt first = allGone(lost(job, List.of(node(1)), T0.plusSeconds(60)), T0.plusSeconds(62))
                .attemptOrThrow();
        Job next = StartDecisions.placed(
                allGone(lost(job, List.of(node(1)), T0.plusSeconds(60)), T0.plusSeconds(62)),
                placement(2, List.of(node(0), new NodeId("s1"))),
                T0.plusSeconds(63));
        Attempt second = answered(next, RepairTest.restored(40)).attemptOrThrow();
        assertThat(WasteRecords.spans(List.of(first, second), List.of(COMMIT)))
                .containsExactly(
                        new AttemptSpan(
                                1,
                                T0,
                                T0.plusSeconds(5),
                                T0.plusSeconds(60),
                                T0.plusSeconds(62),
                                true,
                                1500,
                                AttemptSpan.FROM_THE_BEGINNING),
                        new AttemptSpan(2, T0.plusSeconds(63), null, null, null, true, 0, T0.plusSeconds(40)));
        assertThat(WasteRecords.spans(List.of(first, second), List.of())
                        .getLast()
                        .wentBackTo())
                .as("a commit that nobody heard of")
                .isEqualTo(AttemptSpan.FROM_THE_BEGINNING);
        WasteRecords.Commit earlier = new WasteRecords.Commit("chk_00000000000", 20, T0.plusSeconds(20));
        assertThat(WasteRecords.spans(List.of(first, second), List.of(earlier))
                        .getLast()
                        .wentBackTo())
                .isEqualTo(T0.plusSeconds(20));
        assertThat(WasteRecords.spans(List.of(next.attemptOrThrow()), List.of())
                        .getFirst()
                        .wentBackTo())
                .as("not decided yet")
                .isNull();
    }

    @Test
    void aProgramThatTellsNoStepTrainsFromWhenAllRanksAreUp() {
        Attempt silent = running(queued(2, 20, 0)).attemptOrThrow();
        assertThat(WasteRecords.spans(List.of(silent), List.of()).getFirst().trainingSince())
                .isEqualTo(T0);
        Job tells = told(up(toldToRun(inPreflight(queued(2, 20, 0)))), 1, Map.of(), T0.plusSeconds(3));
        assertThat(WasteRecords.spans(List.of(tells.attemptOrThrow()), List.of())
                        .getFirst()
                        .trainingSince())
                .isEqualTo(T0.plusSeconds(3));
    }

    @Test
    void onlyWhatIsClearedAwayForTheNextAttemptIsRecovery() {
        Job running = running(queued(2, 20, 0));
        Attempt cancelled = allGone(AttemptDecisions.cancelled(running, T0), T0.plusSeconds(1))
                .attemptOrThrow();
        assertThat(WasteRecords.spans(List.of(cancelled), List.of()).getFirst().goesOn())
                .isFalse();
        Attempt lost = lost(running, List.of(node(0)), T0).attemptOrThrow();
        assertThat(WasteRecords.spans(List.of(lost), List.of()).getFirst().goesOn())
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY, -1, 1e300})
    void aStallThatCannotBeIsNone(double seconds) {
        Job job = told(running(queued(2, 20, 0)), 1, stall(seconds), T0.plusSeconds(5));
        assertThat(job.attemptOrThrow().training().stallMillis()).isZero();
    }
}
