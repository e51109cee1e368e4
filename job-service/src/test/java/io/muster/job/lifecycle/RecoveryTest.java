package io.muster.job.lifecycle;

import static io.muster.job.lifecycle.JobFixture.T0;
import static io.muster.job.lifecycle.JobFixture.allGone;
import static io.muster.job.lifecycle.JobFixture.answered;
import static io.muster.job.lifecycle.JobFixture.exit;
import static io.muster.job.lifecycle.JobFixture.gone;
import static io.muster.job.lifecycle.JobFixture.heard;
import static io.muster.job.lifecycle.JobFixture.lost;
import static io.muster.job.lifecycle.JobFixture.node;
import static io.muster.job.lifecycle.JobFixture.preflightFailed;
import static io.muster.job.lifecycle.JobFixture.queued;
import static io.muster.job.lifecycle.JobFixture.ranks;
import static io.muster.job.lifecycle.JobFixture.running;
import static io.muster.job.lifecycle.JobFixture.toldToRun;
import static io.muster.job.lifecycle.JobFixture.up;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.agent.AttemptReport;
import io.muster.contract.agent.ExitCause;
import io.muster.contract.agent.MemberPhase;
import io.muster.contract.agent.Progress;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.job.JobPhase;
import io.muster.contract.node.PreflightVerdict;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What follows a broken attempt, and to whom it is charged. */
class RecoveryTest {

    private static final Instant LATER = T0.plusSeconds(60);

    @Test
    void aLostNodeIsUsableAgainInANewerLifeOnly() {
        Job again = allGone(lost(running(queued(2, 20, 0)), List.of(node(0)), T0), T0);
        assertThat(AttemptDecisions.found(again, node(0), 1, true).holding().failedNodes())
                .as("the life in which it was lost")
                .containsExactly(node(0));
        assertThat(AttemptDecisions.found(again, node(1), 9, true)).isEqualTo(again);
        Job back = AttemptDecisions.found(again, node(0), 2, true);
        assertThat(JobStates.of(back).failedNodes()).isEmpty();
        Job blamed = again.with(again.holding().blaming(List.of(node(0)), T0));
        assertThat(AttemptDecisions.found(blamed, node(0), 2, false).holding().shunned())
                .as("its checks are still to pass")
                .containsExactly(new Shunned(node(0), T0, null));
        assertThat(AttemptDecisions.found(blamed, node(0), 2, true).holding().shunned())
                .isEmpty();
        assertThat(AttemptDecisions.found(blamed, node(0), 1, true).holding().shunned())
                .as("not the life in which it was lost")
                .containsExactly(new Shunned(node(0), T0, 1L));
    }

    @Test
    void withoutAPlatformRestartLeftTheJobFailsWithTheNumbers() {
        Job job = queued(2, 2, 5);
        for (int restart = 1; restart <= 2; restart++) {
            job = allGone(lost(running(job), List.of(node(0)), T0), T0);
            assertThat(job.phase()).isEqualTo(JobPhase.RECOVERING);
            assertThat(job.restarts().platform()).isEqualTo(restart);
            job = RepairDecisions.givenUp(job, Duration.ofMinutes(10), T0);
            assertThat(job.phase()).isEqualTo(JobPhase.QUEUED);
        }
        Job failed = allGone(lost(running(job), List.of(node(0)), T0), T0);
        assertThat(failed.phase()).isEqualTo(JobPhase.FAILED);
        assertThat(failed.status().reason()).isEqualTo(JobReason.NODE_LOST);
        assertThat(failed.status().message()).contains("node n0").contains("2 of 2 platform restarts are used");
        assertThat(failed.restarts()).isEqualTo(new Restarts(2, 0, null));
    }

    @Test
    void anAgentThatIsShutDownIsChargedToNobody() {
        Job job = allGone(broken(running(queued(2, 0, 0)), ExitCause.AGENT_DOWN, null), T0);
        assertThat(job.phase()).isEqualTo(JobPhase.QUEUED);
        assertThat(job.restarts()).isEqualTo(Restarts.NONE);
    }

    @ParameterizedTest
    @EnumSource(
            value = ExitCause.class,
            names = {"SIGNAL", "LOST_CONNECTION", "OUT_OF_MEMORY"})
    void processesThatEndBadlyStartAgainOnTheSameNodesWithoutTheScheduler(ExitCause cause) {
        Job job = broken(running(queued(2, 0, 1)), cause, "bad");
        assertThat(job.phase()).isEqualTo(JobPhase.RECOVERING);
        assertThat(job.status().message()).contains("rank 0 on node n0").contains("user restart 1 of 1");
        Job half = AttemptDecisions.reported(job, node(0), gone(job), T0);
        assertThat(JobStates.of(half).releasedMembers())
                .as("nothing is given back")
                .isEmpty();
        assertThat(AttemptDecisions.advanced(half, LATER))
                .as("node 1 is not gone")
                .isEqualTo(half);
        Job over = AttemptDecisions.reported(half, node(1), gone(job), T0);
        assertThat(over.attemptOrThrow().over()).isTrue();
        assertThat(over.restarts().user()).isEqualTo(1);
        assertThat(AttemptDecisions.nextLook(over, T0)).isEqualTo(T0);

        Job next = AttemptDecisions.advanced(over, T0);
        assertThat(next.phase()).isEqualTo(JobPhase.RECOVERING);
        assertThat(next.attemptOrThrow().number()).isEqualTo(2);
        assertThat(next.attemptOrThrow().generation()).isEqualTo(1);
        assertThat(next.attemptOrThrow().stage()).isEqualTo(AttemptStage.AWAITING_RESTORE);
        assertThat(next.attemptOrThrow().members()).extracting(Member::node).containsExactly(node(0), node(1));
        assertThat(JobStates.of(next).wantsGpus())
                .as("a node lost now is replaced")
                .isTrue();
        Job up = up(toldToRun(answered(next, restored(7))));
        assertThat(up.phase()).isEqualTo(JobPhase.RUNNING);
        assertThat(up.status().message())
                .contains("attempt 2")
                .contains("restored checkpoint chk_00000000001 of step 7");

        Job failed = allGone(broken(up, cause, "bad"), T0);
        assertThat(failed.phase()).isEqualTo(JobPhase.FAILED);
        assertThat(failed.status().message()).contains("1 of 1 user restarts are used");
        assertThat(JobStates.of(failed).releasedMembers()).containsExactly(node(0), node(1));
    }

    @Test
    void processesThatVanishedStartAgainToo() {
        Job job = allGone(running(queued(2, 0, 1)), T0);
        assertThat(job.phase()).as("gone is all that there is").isEqualTo(JobPhase.RECOVERING);
        assertThat(job.attemptOrThrow().ending().reason()).isEqualTo(JobReason.PROCESSES_LOST);
        assertThat(AttemptDecisions.advanced(job, T0).attemptOrThrow().number()).isEqualTo(2);
    }

    @Test
    void aProgramThatCannotStartOrMadeNoStepIsNeverTriedAgain() {
        Job notStarted = broken(atStep(running(queued(2, 0, 9)), 5), ExitCause.START_FAILED, "no such file");
        assertThat(notStarted.phase()).isEqualTo(JobPhase.STOPPING);
        assertThat(notStarted.status().message()).contains("cannot be started").contains("0 of 9");
        Job noStep = broken(running(queued(2, 0, 9)), ExitCause.USER_ERROR, "TypeError");
        assertThat(noStep.phase()).isEqualTo(JobPhase.STOPPING);
        assertThat(noStep.status().message()).contains("had not reported a step");

        Job second = AttemptDecisions.advanced(
                allGone(broken(atStep(running(queued(2, 0, 9)), 45), ExitCause.USER_ERROR, "nan"), T0), T0);
        Job atItsStart = atStep(up(toldToRun(answered(second, restored(40)))), 40);
        assertThat(broken(atItsStart, ExitCause.USER_ERROR, "other").phase())
                .as("40 is where it began")
                .isEqualTo(JobPhase.STOPPING);
    }

    @Test
    void theSameErrorAtTheSameStepTwiceInARowEndsTheJob() {
        Job first = atStep(running(queued(2, 5, 9)), 45);
        Job second = next(allGone(broken(first, ExitCause.USER_ERROR, "loss is nan"), T0));
        Job same = broken(atStep(second, 45), ExitCause.USER_ERROR, "loss is nan");
        assertThat(same.phase()).isEqualTo(JobPhase.STOPPING);
        assertThat(same.status().message()).contains("same last line at the same step 45 twice in a row");
        assertThat(broken(atStep(second, 46), ExitCause.USER_ERROR, "loss is nan")
                        .phase())
                .isEqualTo(JobPhase.RECOVERING);
        assertThat(broken(atStep(second, 45), ExitCause.USER_ERROR, "disk full").phase())
                .isEqualTo(JobPhase.RECOVERING);

        Job between = next(allGone(broken(second, ExitCause.SIGNAL, null), T0));
        assertThat(broken(atStep(between, 45), ExitCause.USER_ERROR, "loss is nan")
                        .phase())
                .as("not in a row")
                .isEqualTo(JobPhase.RECOVERING);
    }

    @Test
    void aFailedPreflightOnTheNewPlacementIsPlacedOnceMore() {
        Job again = RepairDecisions.givenUp(
                allGone(lost(running(queued(2, 20, 0)), List.of(node(0)), T0), T0), Duration.ofMinutes(10), T0);
        Job failed = preflightFailed(JobFixture.inPreflight(again));
        Job third = allGone(
                StartDecisions.judged(failed, 2, new PreflightVerdict(true, List.of(node(1)), "its disk"), T0), T0);
        assertThat(third.phase()).isEqualTo(JobPhase.QUEUED);
        assertThat(third.restarts().platform())
                .as("a start that was given up is not charged")
                .isEqualTo(1);
        assertThat(third.holding().failedNodes()).containsExactly(node(0), node(1));
        assertThat(third.holding().preflightRounds()).isEqualTo(1);
        Job running = running(third);
        assertThat(running.attemptOrThrow().number()).isEqualTo(3);
        assertThat(running.holding().preflightRounds())
                .as("only starts in a row count")
                .isZero();
    }

    @Test
    void aFailedPreflightOfARestartInPlaceGoesToTheScheduler() {
        Job next =
                AttemptDecisions.advanced(allGone(broken(running(queued(2, 20, 1)), ExitCause.SIGNAL, null), T0), T0);
        Job failed = preflightFailed(answered(next, restored(3)));
        assertThat(failed.phase()).isEqualTo(JobPhase.RECOVERING);
        Job again = allGone(StartDecisions.judged(failed, 2, new PreflightVerdict(true, List.of(), "nobody"), T0), T0);
        assertThat(again.phase()).isEqualTo(JobPhase.QUEUED);
        assertThat(JobStates.of(again).releasedMembers()).containsExactly(node(0), node(1));
        assertThat(again.restarts()).isEqualTo(new Restarts(0, 1, null));
    }

    @Test
    void cancelAtEveryMomentOfARecoveryEndsCancelled() {
        Job lost = lost(running(queued(2, 20, 1)), List.of(node(0)), T0);
        Job stopping = broken(running(queued(2, 20, 1)), ExitCause.SIGNAL, null);
        Job between = allGone(stopping, T0);
        Job awaiting = AttemptDecisions.advanced(between, T0);
        Job preflight = answered(awaiting, restored(3));
        Job run = toldToRun(preflight);
        for (Job job : List.of(lost, stopping, between, awaiting, preflight, run)) {
            Job cancelled = AttemptDecisions.cancelled(job, T0);
            Job done = cancelled.phase().ended() ? cancelled : allGone(cancelled, T0);
            assertThat(done.phase()).isEqualTo(JobPhase.CANCELLED);
            assertThat(JobStates.of(done).releasedMembers()).containsExactly(node(0), node(1));
            assertThat(AttemptDecisions.nextLook(done, T0)).isNull();
            assertThat(AttemptDecisions.advanced(done, LATER)).isEqualTo(done);
        }
    }

    @Test
    void aCancelWhileAFailureIsClearedAwayIsNotUndoneByALostNode() {
        Job failing = broken(running(queued(2, 20, 0)), ExitCause.SIGNAL, null);
        assertThat(failing.phase()).isEqualTo(JobPhase.STOPPING);
        assertThat(lost(failing, List.of(node(0)), T0).phase()).isEqualTo(JobPhase.RECOVERING);
        Job cancelled = lost(AttemptDecisions.cancelled(failing, T0), List.of(node(0)), T0);
        assertThat(allGone(cancelled, T0).phase()).isEqualTo(JobPhase.CANCELLED);
    }

    /** All ranks have ended so. */
    private static Job broken(Job running, ExitCause cause, String line) {
        Job job = running;
        for (Member member : running.attemptOrThrow().members()) {
            job = AttemptDecisions.reported(job, member.node(), ranks(running, member, exit(cause, 1, line), -1), T0);
        }
        return heard(job, T0);
    }

    private static Job next(Job over) {
        return up(toldToRun(answered(AttemptDecisions.advanced(over, T0), restored(40))));
    }

    private static Job atStep(Job job, long step) {
        AttemptReport report = new AttemptReport(
                JobFixture.ID,
                job.attemptOrThrow().number(),
                MemberPhase.RUNNING,
                null,
                null,
                List.of(),
                List.of(),
                new Progress(step, null, Map.of(), T0.plusSeconds(step)),
                null,
                null);
        return AttemptDecisions.reported(job, node(0), report, T0);
    }

    private static RestoreDecision restored(long step) {
        return new RestoreDecision(
                RestoreVerdict.RESTORED, new CheckpointId("chk_00000000001"), step, List.of(), "the newest commit");
    }
}
