package io.muster.job.lifecycle;

import static io.muster.job.lifecycle.JobFixture.T0;
import static io.muster.job.lifecycle.JobFixture.completed;
import static io.muster.job.lifecycle.JobFixture.exit;
import static io.muster.job.lifecycle.JobFixture.gone;
import static io.muster.job.lifecycle.JobFixture.inPreflight;
import static io.muster.job.lifecycle.JobFixture.inRun;
import static io.muster.job.lifecycle.JobFixture.node;
import static io.muster.job.lifecycle.JobFixture.placement;
import static io.muster.job.lifecycle.JobFixture.preflightFailed;
import static io.muster.job.lifecycle.JobFixture.queued;
import static io.muster.job.lifecycle.JobFixture.ranks;
import static io.muster.job.lifecycle.JobFixture.report;
import static io.muster.job.lifecycle.JobFixture.running;
import static io.muster.job.lifecycle.JobFixture.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.agent.AttemptReport;
import io.muster.contract.agent.ExitCause;
import io.muster.contract.agent.MemberPhase;
import io.muster.contract.agent.Progress;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.id.NodeId;
import io.muster.contract.job.JobPhase;
import io.muster.contract.job.JobState;
import io.muster.contract.node.PreflightVerdict;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AttemptDecisionsTest {

    @Test
    void aPlacementMakesTheFirstAttempt() {
        Job job = StartDecisions.placed(queued(2, 1, true), placement(1, 2), T0);
        assertThat(job.phase()).isEqualTo(JobPhase.STARTING);
        assertThat(job.attemptOrThrow().number()).isEqualTo(1);
        assertThat(job.attemptOrThrow().stage()).isEqualTo(AttemptStage.AWAITING_RESTORE);
        assertThat(job.holding().generation()).isEqualTo(1);
        assertThat(AttemptDecisions.nextLook(job, T0)).isEqualTo(T0);
    }

    @Test
    void anOldOrRepeatedPlacementIsNothing() {
        Job job = StartDecisions.placed(queued(2, 1, true), placement(3, 2), T0);
        assertThat(StartDecisions.placed(job, placement(3, 2), T0)).isSameAs(job);
        assertThat(StartDecisions.placed(job, placement(2, 2), T0)).isSameAs(job);
    }

    @Test
    void aPlacementForACancelledJobIsAnsweredWithAllMembersReleased() {
        Job cancelled = AttemptDecisions.cancelled(queued(2, 1, true), T0);
        JobState state = JobStates.of(StartDecisions.placed(cancelled, placement(1, 2), T0));
        assertThat(state.phase()).isEqualTo(JobPhase.CANCELLED);
        assertThat(state.generation()).isEqualTo(1);
        assertThat(state.releasedMembers()).containsExactly(node(0), node(1));
        assertThat(state.wantsGpus()).isFalse();
    }

    @Test
    void allPassedMeansRunWithTheRendezvousOfRankZero() {
        Job job = inRun(queued(2, 2, true));
        assertThat(job.attemptOrThrow().stage()).isEqualTo(AttemptStage.RUN);
        assertThat(job.attemptOrThrow().rendezvous().masterAddress()).isEqualTo("127.1.0.0");
        assertThat(job.attemptOrThrow().rendezvous().masterPort()).isEqualTo(29500);
        assertThat(job.phase()).isEqualTo(JobPhase.STARTING);
    }

    @Test
    void withTheClientItRunsWhenEveryRankHasSaidHello() {
        Job job = inRun(queued(2, 1, true));
        Member first = job.attemptOrThrow().members().getFirst();
        Job one = AttemptDecisions.reported(job, node(0), ranks(job, first, null, -1), T0);
        assertThat(one.phase()).isEqualTo(JobPhase.STARTING);
        assertThat(running(queued(2, 1, true)).phase()).isEqualTo(JobPhase.RUNNING);
    }

    @Test
    void withoutTheClientItRunsWhenAllHaveLivedTwoSeconds() {
        Job job = inRun(queued(1, 1, false));
        AttemptReport young = alive(job, T0.minusMillis(1999));
        AttemptReport old = alive(job, T0.minusMillis(2000));
        assertThat(AttemptDecisions.reported(job, node(0), young, T0).phase()).isEqualTo(JobPhase.STARTING);
        assertThat(AttemptDecisions.reported(job, node(0), old, T0).phase()).isEqualTo(JobPhase.RUNNING);
    }

    private static AttemptReport alive(Job job, Instant since) {
        return new AttemptReport(
                JobFixture.ID,
                job.attemptOrThrow().number(),
                MemberPhase.RUNNING,
                null,
                since,
                List.of(),
                List.of(),
                null,
                null,
                null);
    }

    @Test
    void allExitZeroIsSuccessOnceAllAreGone() {
        Job job = running(queued(2, 2, true));
        for (Member member : job.attemptOrThrow().members()) {
            job = AttemptDecisions.reported(job, member.node(), ranks(job, member, completed(), -1), T0);
        }
        assertThat(job.phase()).isEqualTo(JobPhase.STOPPING);
        assertThat(job.status().reason()).isEqualTo(JobReason.COMPLETED);
        Job half = AttemptDecisions.reported(job, node(1), gone(job), T0);
        assertThat(half.phase()).isEqualTo(JobPhase.STOPPING);
        assertThat(half.holding().released()).containsExactly(node(1));
        Job done = AttemptDecisions.reported(half, node(0), gone(job), T0);
        assertThat(done.phase()).isEqualTo(JobPhase.SUCCEEDED);
        assertThat(done.holding().released()).containsExactly(node(0), node(1));
    }

    @Test
    void aLostNodeAfterSuccessChangesNothingAboutTheEnd() {
        Job job = running(queued(2, 1, true));
        for (Member member : job.attemptOrThrow().members()) {
            job = AttemptDecisions.reported(job, member.node(), ranks(job, member, completed(), -1), T0);
        }
        Job lost = JobFixture.lost(job, List.of(node(0), node(1)), T0);
        assertThat(lost.phase()).isEqualTo(JobPhase.SUCCEEDED);
    }

    /** Facts of a gang of three in every order, each twice: one verdict. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void theVerdictDoesNotDependOnTheOrderOfReports(long seed) {
        Random random = new Random(seed);
        List<ExitCause> causes = List.of(
                ExitCause.LOST_CONNECTION,
                ExitCause.SIGNAL,
                ExitCause.USER_ERROR,
                ExitCause.OUT_OF_MEMORY,
                ExitCause.START_FAILED);
        Job job = running(queued(3, 2, true));
        List<UnaryOperator<Job>> facts = new ArrayList<>();
        for (Member member : job.attemptOrThrow().members()) {
            for (int local = 0; local < 2; local++) {
                int rank = member.nodeRank() * 2 + local;
                ExitCause cause = causes.get(random.nextInt(causes.size()));
                AttemptReport report = ranks(job, member, exit(cause, 1 + rank, "line " + rank), rank);
                facts.add(one -> AttemptDecisions.reported(one, member.node(), report, T0));
                facts.add(one -> AttemptDecisions.reported(one, member.node(), report, T0));
            }
        }
        if (random.nextBoolean()) {
            facts.add(one -> JobFixture.lost(one, List.of(node(2)), T0));
        }
        Job first = after(job, facts, seed);
        for (int order = 0; order < 200; order++) {
            Job other = after(job, facts, random.nextLong());
            assertThat(other.status().reason())
                    .as("seed %d order %d", seed, order)
                    .isEqualTo(first.status().reason());
            assertThat(other.status().message())
                    .as("seed %d order %d", seed, order)
                    .isEqualTo(first.status().message());
            assertThat(other.phase()).isEqualTo(first.phase());
        }
        assertThat(first.phase()).isEqualTo(facts.size() % 2 == 1 ? JobPhase.RECOVERING : JobPhase.STOPPING);
    }

    private static Job after(Job job, List<UnaryOperator<Job>> facts, long seed) {
        List<UnaryOperator<Job>> order = new ArrayList<>(facts);
        Collections.shuffle(order, new Random(seed));
        Job next = job;
        for (UnaryOperator<Job> fact : order) {
            next = fact.apply(next);
        }
        return JobFixture.heard(next, T0.plusSeconds(20));
    }

    @Test
    void anAgentThatIsShutDownRequeuesTheJobWithoutFailingIt() {
        Job job = running(queued(2, 1, true));
        for (Member member : job.attemptOrThrow().members()) {
            job = AttemptDecisions.reported(
                    job, member.node(), ranks(job, member, exit(ExitCause.AGENT_DOWN, 143, null), -1), T0);
        }
        assertThat(EvidenceBarrier.complete(job.attemptOrThrow()))
                .as("who shuts down is not asked")
                .isTrue();
        assertThat(job.phase()).isEqualTo(JobPhase.RECOVERING);
        assertThat(JobStates.of(job).wantsGpus()).isFalse();
        Job again = JobFixture.allGone(job, T0);
        assertThat(again.phase()).isEqualTo(JobPhase.QUEUED);
        assertThat(again.status().reason()).isEqualTo(JobReason.REQUEUED);
        JobState state = JobStates.of(again);
        assertThat(state.requeued()).isTrue();
        assertThat(state.wantsGpus()).isTrue();
        assertThat(state.releasedMembers()).containsExactly(node(0), node(1));
        assertThat(state.failedNodes()).isEmpty();
        assertThat(again.holding().preflightRounds()).isZero();
        Job second = StartDecisions.placed(again, placement(2, 2), T0);
        assertThat(second.attemptOrThrow().number()).isEqualTo(2);
        assertThat(JobStates.of(second).releasedMembers()).isEmpty();
    }

    @Test
    void aFailedPreflightAsksForTheVerdictAndRequeuesWithTheBlamedNodesExcluded() {
        Job job = preflightFailed(inPreflight(queued(2, 1, true)));
        assertThat(job.phase()).isEqualTo(JobPhase.RECOVERING);
        assertThat(job.status().message()).contains("n1").contains("disk_space").contains("3 GB");
        Job gone = JobFixture.allGone(job, T0);
        assertThat(gone.phase()).as("the verdict is open").isEqualTo(JobPhase.RECOVERING);
        Job open = StartDecisions.judged(gone, 1, new PreflightVerdict(false, List.of(), "wait"), T0);
        assertThat(open).isEqualTo(gone);
        Job judged = StartDecisions.judged(gone, 1, new PreflightVerdict(true, List.of(node(1)), "its disk"), T0);
        assertThat(judged.phase()).isEqualTo(JobPhase.QUEUED);
        assertThat(judged.holding().failedNodes()).containsExactly(node(1));
        assertThat(judged.holding().requeued()).isTrue();
    }

    @Test
    void fiveFailedStartsFailTheJob() {
        Job job = queued(2, 1, true);
        for (int round = 1; round <= 5; round++) {
            assertThat(job.phase()).isEqualTo(JobPhase.QUEUED);
            Job failed = preflightFailed(inPreflight(job));
            Job judged = StartDecisions.judged(failed, round, new PreflightVerdict(true, List.of(), "nobody"), T0);
            job = JobFixture.allGone(judged, T0);
        }
        assertThat(job.phase()).isEqualTo(JobPhase.FAILED);
        assertThat(job.status().reason()).isEqualTo(JobReason.PREFLIGHT_FAILED);
        assertThat(job.status().message()).contains("5 starts").contains("disk_space");
    }

    @Test
    void aNodeLostWhileRunningWithoutARestartLeftFailsTheJobAndStopsTheOthers() {
        Job running = running(JobFixture.queued(2, 0, 0));
        Job job = JobFixture.lost(running, List.of(node(0)), T0);
        assertThat(job.phase()).isEqualTo(JobPhase.STOPPING);
        assertThat(GangTasks.touched(running, job)).containsExactly(node(0), node(1));
        Job failed = AttemptDecisions.reported(job, node(1), gone(job), T0);
        assertThat(failed.phase()).isEqualTo(JobPhase.FAILED);
        assertThat(failed.status().reason()).isEqualTo(JobReason.NODE_LOST);
        assertThat(failed.attemptOrThrow().members().getFirst().gone())
                .as("its STOP stays")
                .isFalse();
        Job back = AttemptDecisions.reported(failed, node(0), gone(job), T0);
        assertThat(back.attemptOrThrow().members().getFirst().gone()).isTrue();
        assertThat(back.phase()).isEqualTo(JobPhase.FAILED);
    }

    @Test
    void aRefusedRestoreFailsTheJobAtOnceBecauseNothingWasStarted() {
        Job starting = StartDecisions.placed(queued(2, 1, true), placement(1, 2), T0);
        Job refused = StartDecisions.restoreDecided(
                starting,
                1,
                new RestoreDecision(RestoreVerdict.REFUSED, null, 0, List.of(), "chk_x is of 8 ranks, not 2"),
                Map.of(),
                T0);
        assertThat(refused.phase()).isEqualTo(JobPhase.FAILED);
        assertThat(refused.status().reason()).isEqualTo(JobReason.RESTORE_REFUSED);
        assertThat(refused.status().message()).contains("chk_x is of 8 ranks");
        assertThat(refused.holding().released()).containsExactly(node(0), node(1));
    }

    @Test
    void anAnswerForAnEarlierAttemptIsIgnored() {
        Job starting = StartDecisions.placed(queued(2, 1, true), placement(1, 2), T0);
        assertThat(StartDecisions.restoreDecided(starting, 2, JobFixture.fresh(), JobFixture.addresses(2), T0))
                .isSameAs(starting);
        assertThat(StartDecisions.judged(starting, 1, new PreflightVerdict(true, List.of(node(0)), "x"), T0))
                .isSameAs(starting);
    }

    @Test
    void cancelInEveryStateEndsCancelledAndRepeatsHarmlessly() {
        assertThat(AttemptDecisions.cancelled(queued(2, 1, true), T0).phase()).isEqualTo(JobPhase.CANCELLED);
        Job awaiting = StartDecisions.placed(queued(2, 1, true), placement(1, 2), T0);
        assertThat(AttemptDecisions.cancelled(awaiting, T0).phase())
                .as("no agent knows of it")
                .isEqualTo(JobPhase.CANCELLED);
        Job recovering = preflightFailed(inPreflight(queued(2, 1, true)));
        for (Job job : List.of(
                inPreflight(queued(2, 1, true)), inRun(queued(2, 1, true)), running(queued(2, 1, true)), recovering)) {
            Job stopping = AttemptDecisions.cancelled(job, T0);
            assertThat(stopping.phase()).isEqualTo(JobPhase.STOPPING);
            assertThat(AttemptDecisions.cancelled(stopping, T0)).isSameAs(stopping);
            Job done = JobFixture.allGone(stopping, T0);
            assertThat(done.phase()).isEqualTo(JobPhase.CANCELLED);
            assertThat(AttemptDecisions.cancelled(done, T0)).isSameAs(done);
        }
    }

    @Test
    void maxRuntimeCountsRunningTimeOnly() {
        Job job = running(queued(spec("""
                {"name": "a", "runtime": {"command": ["x"], "client": true}, "resources": {"nodes": 1}, "limits": {"maxRuntime": "10s"}}""")));
        assertThat(AttemptDecisions.nextLook(job, T0)).isEqualTo(T0.plusSeconds(10));
        assertThat(AttemptDecisions.advanced(job, T0.plusSeconds(9)).phase()).isEqualTo(JobPhase.RUNNING);
        Job over = AttemptDecisions.advanced(job, T0.plusSeconds(10));
        assertThat(over.phase()).isEqualTo(JobPhase.STOPPING);
        assertThat(over.status().message()).contains("ran 10 s").contains("allows 10 s");
        assertThat(JobFixture.allGone(over, T0.plusSeconds(11)).status().reason())
                .isEqualTo(JobReason.MAX_RUNTIME_EXCEEDED);
    }

    @Test
    void lateReportsNeverTurnAMemberBack() {
        Job job = running(queued(2, 1, true));
        Job stopping = AttemptDecisions.cancelled(job, T0);
        Job gone = AttemptDecisions.reported(stopping, node(0), gone(job), T0);
        Job late = AttemptDecisions.reported(gone, node(0), report(job, MemberPhase.RUNNING, null, List.of()), T0);
        assertThat(late).isEqualTo(gone);
        assertThat(late.holding().released()).containsExactly(node(0));
    }

    @Test
    void reportsOfOtherAttemptsOrNodesChangeNothing() {
        Job job = running(queued(2, 1, true));
        AttemptReport other = new AttemptReport(
                JobFixture.ID, 2, MemberPhase.GONE, null, null, List.of(), List.of(), null, null, null);
        assertThat(AttemptDecisions.reported(job, node(0), other, T0)).isSameAs(job);
        assertThat(AttemptDecisions.reported(job, new NodeId("stranger"), gone(job), T0))
                .isSameAs(job);
    }

    @Test
    void progressAndResultComeFromTheFirstNodeAndOnlyForward() {
        Job job = running(queued(2, 1, true));
        Job at9 = AttemptDecisions.reported(job, node(0), progress(job, 9, T0.plusSeconds(9)), T0);
        Job late = AttemptDecisions.reported(at9, node(0), progress(job, 8, T0.plusSeconds(8)), T0);
        Job other = AttemptDecisions.reported(late, node(1), progress(job, 99, T0.plusSeconds(99)), T0);
        assertThat(other.progress().step()).isEqualTo(9);
    }

    private static AttemptReport progress(Job job, long step, Instant at) {
        return new AttemptReport(
                JobFixture.ID,
                job.attemptOrThrow().number(),
                MemberPhase.RUNNING,
                null,
                null,
                List.of(),
                List.of(),
                new Progress(step, null, Map.of(), at),
                null,
                null);
    }

    @Test
    void whereToStartFrom() {
        var with = spec("""
                {"name": "a", "runtime": {"command": ["x"]}, "checkpoint": {"uri": "store://a", "resumeFrom": "none"}}""");
        var named = spec("""
                {"name": "a", "runtime": {"command": ["x"]}, "checkpoint": {"uri": "store://a", "resumeFrom": "chk_12345678"}}""");
        var without = spec("""
                {"name": "a", "runtime": {"command": ["x"]}}""");
        assertThat(ResumeFrom.of(without, true, true)).isEqualTo("none");
        assertThat(ResumeFrom.of(with, false, false)).isEqualTo("none");
        assertThat(ResumeFrom.of(with, true, false)).isEqualTo("latest");
        assertThat(ResumeFrom.of(named, true, false)).isEqualTo("chk_12345678");
        assertThat(ResumeFrom.of(named, true, true)).isEqualTo("latest");
    }
}
