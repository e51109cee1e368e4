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
import io.muster.contract.agent.ExitCause;
import io.muster.contract.agent.MemberPhase;
import io.muster.contract.agent.Progress;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.NodeId;
import io.muster.contract.job.JobPhase;
import io.muster.contract.job.JobState;
import io.muster.contract.node.PreflightVerdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A gang that loses nodes: who is stopped, who is kept, and on which generation it goes on. */
class RepairTest {

    private static final NodeId SPARE = new NodeId("s1");
    private static final NodeId OTHER = new NodeId("s2");
    private static final RepairWait WAIT = new RepairWait(Duration.ofMinutes(10));

    private static List<NodeId> nodes(NodeId... nodes) {
        return List.of(nodes);
    }

    private static Job wounded(Job job, int generation, List<NodeId> nodes, NodeId... lost) {
        return StartDecisions.placed(job, placement(generation, nodes, List.of(lost), null), T0);
    }

    private static Job placed(Job job, int generation, NodeId... nodes) {
        return StartDecisions.placed(job, placement(generation, List.of(nodes)), T0);
    }

    private static Job gone(Job job, NodeId node) {
        return AttemptDecisions.reported(job, node, JobFixture.gone(job), T0);
    }

    @Test
    void theHealthyMembersAreStoppedAndKeptUntilTheLostOneIsReplaced() {
        Job job = lost(running(queued(3, 20, 0)), nodes(node(1)), T0);
        assertThat(job.phase()).isEqualTo(JobPhase.RECOVERING);
        assertThat(job.status().reason()).isEqualTo(JobReason.NODE_LOST);
        assertThat(job.status().message()).contains("node n1").contains("platform restart 1 of 20");
        assertThat(job.attemptOrThrow().stage()).isEqualTo(AttemptStage.STOPPING);
        Job over = gone(gone(job, node(0)), node(2));
        assertThat(over.attemptOrThrow().over())
                .as("the lost one is not waited for")
                .isTrue();
        JobState state = JobStates.of(over);
        assertThat(state.phase()).isEqualTo(JobPhase.RECOVERING);
        assertThat(state.releasedMembers()).as("kept for the next attempt").isEmpty();
        assertThat(state.wantsGpus()).isTrue();
        assertThat(state.failedNodes()).containsExactly(node(1));
        assertThat(over.restarts()).isEqualTo(new Restarts(1, 0, null));
        assertThat(AttemptDecisions.advanced(over, T0.plusSeconds(60))).isEqualTo(over);

        Job second = placed(over, 2, node(0), SPARE, node(2));
        assertThat(second.attemptOrThrow().number()).isEqualTo(2);
        assertThat(second.attemptOrThrow().generation()).isEqualTo(2);
        assertThat(second.attemptOrThrow().stage()).isEqualTo(AttemptStage.AWAITING_RESTORE);
        assertThat(second.attemptOrThrow().members()).extracting(Member::node).containsExactly(node(0), SPARE, node(2));
        assertThat(JobStates.of(second).generation()).isEqualTo(2);
        assertThat(placed(second, 2, node(0), SPARE, node(2))).as("twice").isSameAs(second);
        Job up = up(toldToRun(answered(second, restored(40))));
        assertThat(up.phase()).isEqualTo(JobPhase.RUNNING);
        assertThat(up.status().message())
                .isEqualTo("all 3 processes of attempt 2 are up; restored checkpoint chk_00000000001 of step 40");
        assertThat(up.restarts().platform()).isEqualTo(1);
    }

    /** The loss, the wound, the repair and the end of each process, in every order that can be: one end, one charge. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
    void theOrderInWhichARepairIsHeardOfMakesNoDifference(int block) {
        for (int order = 0; order < 100; order++) {
            Random random = new Random(block * 1000L + order);
            List<UnaryOperator<Job>> facts = new ArrayList<>();
            boolean byHealth = random.nextBoolean();
            boolean byScheduler = !byHealth || random.nextBoolean();
            if (byHealth) {
                facts.add(job -> lost(job, nodes(node(1)), T0));
            }
            if (byScheduler) {
                facts.add(job -> wounded(job, 1, nodes(node(0), node(1), node(2)), node(1)));
            }
            facts.add(job -> placed(job, 2, node(0), SPARE, node(2)));
            facts.add(job ->
                    StartDecisions.placed(job, placement(1, nodes(node(0), node(1), node(2)), nodes(node(1)), 2), T0));
            facts.add(job -> job.attemptOrThrow().number() == 1 ? told(job, node(0)) : job);
            facts.add(job -> job.attemptOrThrow().number() == 1 ? told(job, node(2)) : job);
            facts.addAll(List.copyOf(facts));
            Collections.shuffle(facts, random);
            Job job = running(queued(3, 1, 0));
            for (UnaryOperator<Job> fact : facts) {
                job = AttemptDecisions.advanced(fact.apply(job), T0);
                assertThat(JobStates.of(job).releasedMembers())
                        .as("nothing is given back, seed %d %d", block, order)
                        .isEmpty();
            }
            job = told(told(job, node(0)), node(2));
            job = AttemptDecisions.advanced(job, T0);
            String what = "seed %d %d: %s".formatted(block, order, job.status());
            assertThat(job.phase()).as(what).isEqualTo(JobPhase.RECOVERING);
            assertThat(job.attemptOrThrow().number()).as(what).isEqualTo(2);
            assertThat(job.attemptOrThrow().generation()).as(what).isEqualTo(2);
            assertThat(job.restarts()).as(what).isEqualTo(new Restarts(1, 0, null));
            assertThat(job.holding().generation()).as(what).isEqualTo(2);
        }
    }

    /** Stopped and gone, if attempt 1 is being stopped. */
    private static Job told(Job job, NodeId node) {
        Attempt attempt = job.attemptOrThrow();
        return attempt.number() == 1 && attempt.stage() == AttemptStage.STOPPING ? gone(job, node) : job;
    }

    @Test
    void aRepairHeardOfBeforeTheLossStopsTheAttemptAndChargesOnce() {
        Job job = placed(running(queued(2, 20, 0)), 2, node(0), SPARE);
        assertThat(job.phase()).isEqualTo(JobPhase.RECOVERING);
        assertThat(job.status().message()).contains("node n1");
        assertThat(JobStates.of(job).generation()).isEqualTo(2);
        Job late = lost(job, nodes(node(1)), T0);
        assertThat(late.holding().failedNodes()).containsExactly(node(1));
        Job next = AttemptDecisions.advanced(gone(late, node(0)), T0);
        assertThat(next.attemptOrThrow().number()).isEqualTo(2);
        assertThat(next.restarts().platform()).isEqualTo(1);
    }

    @Test
    void aGenerationThatARepairHasEndedWasNotTakenBack() {
        Job job = running(queued(2, 20, 0));
        assertThat(StartDecisions.placed(job, placement(1, nodes(node(0), node(1)), List.of(), 2), T0))
                .isSameAs(job);
        Job over = allGone(lost(job, nodes(node(1)), T0), T0);
        Job told = StartDecisions.placed(over, placement(1, nodes(node(0), node(1)), nodes(node(1)), 2), T0);
        assertThat(told.phase()).isEqualTo(JobPhase.RECOVERING);
        assertThat(told.holding().gang().lostWhole()).isFalse();
        assertThat(StartDecisions.placed(told, placement(2, nodes(node(0), SPARE), List.of(), 3), T0))
                .as("the third tells")
                .isSameAs(told);
        assertThat(AttemptDecisions.advanced(placed(told, 3, node(0), OTHER), T0)
                        .attemptOrThrow()
                        .generation())
                .isEqualTo(3);
    }

    @Test
    void aNewGenerationThatIsWoundedBeforeItsAttemptWaitsForTheNext() {
        Job over = allGone(lost(running(queued(2, 20, 0)), nodes(node(1)), T0), T0);
        Job hurt = wounded(over, 2, nodes(node(0), SPARE), SPARE);
        assertThat(hurt.attemptOrThrow().number()).isEqualTo(1);
        assertThat(JobStates.of(hurt).generation()).isEqualTo(2);
        assertThat(JobStates.of(hurt).wantsGpus()).isTrue();
        Job stopping = lost(running(queued(2, 20, 0)), nodes(node(1)), T0);
        Job later = wounded(placed(stopping, 2, node(0), SPARE), 2, nodes(node(0), SPARE), SPARE);
        Job both = AttemptDecisions.advanced(gone(later, node(0)), T0);
        assertThat(both.attemptOrThrow().number())
                .as("also while the old one stops")
                .isEqualTo(1);
        for (Job waiting : List.of(hurt, both)) {
            Job next = placed(waiting, 3, node(0), OTHER);
            assertThat(next.attemptOrThrow().number()).isEqualTo(2);
            assertThat(next.attemptOrThrow().generation()).isEqualTo(3);
            assertThat(next.restarts().platform()).isEqualTo(1);
        }
    }

    @Test
    void aSecondLossWhileTheFirstIsRepairedIsNotChargedAgain() {
        Job one = lost(running(queued(3, 1, 0)), nodes(node(0)), T0);
        Job two = gone(lost(one, nodes(node(1)), T0), node(2));
        assertThat(two.attemptOrThrow().over()).isTrue();
        assertThat(two.restarts().platform()).isEqualTo(1);
        Job afterwards = lost(gone(gone(one, node(1)), node(2)), nodes(node(1)), T0);
        assertThat(afterwards.phase()).as("a healthy member, gone and kept").isEqualTo(JobPhase.RECOVERING);
        for (Job job : List.of(two, afterwards)) {
            assertThat(job.holding().failedNodes()).containsExactly(node(0), node(1));
            Job union = wounded(job, 1, nodes(node(0), node(1), node(2)), node(0), node(1));
            Job next = placed(union, 2, SPARE, OTHER, node(2));
            assertThat(next.attemptOrThrow().number()).isEqualTo(2);
            assertThat(next.restarts().platform()).isEqualTo(1);
        }
    }

    @Test
    void aGangThatIsLostWholeIsPlacedAnewAheadOfItsPeers() {
        Job job = lost(running(queued(2, 20, 0)), nodes(node(0), node(1)), T0);
        Job again = AttemptDecisions.advanced(job, T0);
        assertThat(again.phase()).isEqualTo(JobPhase.QUEUED);
        assertThat(again.status().message()).contains("all 2 nodes of generation 1 were lost: n0, n1");
        assertThat(JobStates.of(again).requeued()).isTrue();
        assertThat(JobStates.of(again).releasedMembers()).containsExactly(node(0), node(1));
        Job byScheduler = AttemptDecisions.advanced(
                wounded(running(queued(2, 20, 0)), 1, nodes(node(0), node(1)), node(0), node(1)), T0);
        assertThat(byScheduler.phase()).isEqualTo(JobPhase.QUEUED);
        Job placedAnew = placed(job, 2, SPARE, OTHER);
        assertThat(placedAnew.attemptOrThrow().generation())
                .as("placed before it was requeued")
                .isEqualTo(2);
        assertThat(placed(again, 2, SPARE, OTHER).attemptOrThrow().number()).isEqualTo(2);
    }

    @Test
    void aLossBeforeAnyRankRanIsRepairedAndChargedToNobody() {
        Job starting = StartDecisions.placed(queued(2, 0, 0), placement(1, 2), T0);
        for (Job job : List.of(starting, inPreflight(queued(2, 0, 0)))) {
            Job stopped = lost(job, nodes(node(0)), T0);
            assertThat(stopped.phase()).isEqualTo(JobPhase.RECOVERING);
            Job over = stopped.attemptOrThrow().over() ? stopped : gone(stopped, node(1));
            assertThat(JobStates.of(over).releasedMembers()).isEmpty();
            Job next = placed(over, 2, SPARE, node(1));
            assertThat(next.attemptOrThrow().number()).isEqualTo(2);
            assertThat(next.restarts()).isEqualTo(Restarts.NONE);
            assertThat(next.holding().preflightRounds()).isZero();
        }
    }

    /** Its peers cannot reach the dying node, so they fail their checks first. */
    @Test
    void aLossExplainsAPreflightThatFailedBeforeItWasKnown() {
        Job job = inPreflight(queued(3, 20, 0));
        AttemptReport failed = JobFixture.report(job, MemberPhase.PREFLIGHT_FAILED, null, List.of());
        Job pending = gone(AttemptDecisions.reported(job, node(0), failed, T0), node(0));
        assertThat(pending.attemptOrThrow().verdictPending()).isTrue();
        assertThat(JobStates.of(pending).releasedMembers())
                .as("not before the verdict")
                .isEmpty();
        Job explained = lost(pending, nodes(node(2)), T0);
        assertThat(explained.attemptOrThrow().leadsTo(Ending.Follow.REPAIR)).isTrue();
        assertThat(explained.attemptOrThrow().verdictPending()).isFalse();
        Job judged = StartDecisions.judged(pending, 1, new PreflightVerdict(true, nodes(node(2)), "its link"), T0);
        assertThat(JobStates.of(judged).releasedMembers()).containsExactly(node(0));
        Job tooLate = lost(judged, nodes(node(2)), T0);
        assertThat(tooLate.attemptOrThrow().leadsTo(Ending.Follow.REQUEUE)).isTrue();
    }

    @Test
    void withSomeNodesGivenBackAlreadyTheWholeGangIsPlacedAnew() {
        Job failing = JobFixture.heard(
                AttemptDecisions.reported(
                        running(queued(3, 20, 0)),
                        node(0),
                        JobFixture.ranks(
                                running(queued(3, 20, 0)),
                                running(queued(3, 20, 0))
                                        .attemptOrThrow()
                                        .members()
                                        .getFirst(),
                                JobFixture.exit(ExitCause.SIGNAL, 137, null),
                                -1),
                        T0),
                T0);
        assertThat(failing.phase()).isEqualTo(JobPhase.STOPPING);
        Job kept = lost(failing, nodes(node(2)), T0);
        assertThat(kept.attemptOrThrow().leadsTo(Ending.Follow.REPAIR)).isTrue();
        Job requeued = gone(lost(gone(failing, node(0)), nodes(node(2)), T0), node(1));
        assertThat(requeued.phase()).isEqualTo(JobPhase.QUEUED);
        assertThat(requeued.restarts()).isEqualTo(new Restarts(1, 0, null));
    }

    @Test
    void aHoldThatTheSchedulerNeverSawEndsWithTheSameGeneration() {
        Job over = gone(lost(running(queued(2, 20, 0)), nodes(node(1)), T0), node(0));
        Job free = AttemptDecisions.found(over, node(1), 1, true);
        assertThat(AttemptDecisions.nextLook(free, T0))
                .as("its agent has not said that all is gone")
                .isNull();
        Job next = AttemptDecisions.advanced(gone(free, node(1)), T0);
        assertThat(next.attemptOrThrow().number()).isEqualTo(2);
        assertThat(next.attemptOrThrow().generation()).isEqualTo(1);
        Job told = wounded(next, 1, nodes(node(0), node(1)), node(1));
        assertThat(told.attemptOrThrow().over()).as("it did see it").isTrue();
        assertThat(placed(told, 2, node(0), SPARE).attemptOrThrow().number()).isEqualTo(3);
    }

    @Test
    void aNewGenerationOfTheSameNodesEndsTheAttemptOnTheOldOne() {
        Job job = placed(running(queued(2, 20, 0)), 2, node(0), node(1));
        assertThat(job.phase()).isEqualTo(JobPhase.RECOVERING);
        assertThat(job.status().message()).contains("generation 2 has taken the place of generation 1");
        assertThat(job.holding().failedNodes())
                .as("nobody said that they are bad")
                .isEmpty();
        Job next = AttemptDecisions.advanced(allGone(job, T0), T0);
        assertThat(next.attemptOrThrow().generation()).isEqualTo(2);
        Job starting = StartDecisions.placed(queued(2, 0, 0), placement(1, 2), T0);
        assertThat(placed(starting, 2, node(0), node(1)).phase())
                .as("no rank had run: no restart is needed")
                .isEqualTo(JobPhase.RECOVERING);
    }

    @Test
    void aRestartInPlaceTurnsIntoARepair() {
        Job running = running(queued(2, 20, 1));
        Job stopping = running;
        for (Member member : running.attemptOrThrow().members()) {
            stopping = AttemptDecisions.reported(
                    stopping,
                    member.node(),
                    JobFixture.ranks(running, member, JobFixture.exit(ExitCause.SIGNAL, 137, null), -1),
                    T0);
        }
        stopping = JobFixture.heard(stopping, T0);
        assertThat(stopping.attemptOrThrow().leadsTo(Ending.Follow.RESTART)).isTrue();
        Job lostMeanwhile = gone(lost(stopping, nodes(node(0)), T0), node(1));
        assertThat(lostMeanwhile.restarts()).as("the platform's fault alone").isEqualTo(new Restarts(1, 0, null));
        Job between = allGone(stopping, T0);
        assertThat(between.restarts()).isEqualTo(new Restarts(0, 1, null));
        Job lostBetween = lost(between, nodes(node(0)), T0);
        assertThat(lostBetween.attemptOrThrow().number()).isEqualTo(1);
        assertThat(WAIT.end(lostBetween)).isNotNull();
        Job run = toldToRun(answered(AttemptDecisions.advanced(between, T0), restored(3)));
        Job lostLater = gone(lost(run, nodes(node(0)), T0), node(1));
        assertThat(lostLater.restarts()).isEqualTo(new Restarts(1, 1, null));
        for (Job job : List.of(lostMeanwhile, lostBetween, lostLater)) {
            Job next = placed(job, 2, SPARE, node(1));
            assertThat(next.attemptOrThrow().generation()).isEqualTo(2);
            assertThat(next.phase()).isEqualTo(JobPhase.RECOVERING);
        }
    }

    @Test
    void theTimelineNamesWhatWasLostWhatReplacesItAndFromWhereItGoesOn() {
        Job over = allGone(lost(running(queued(2, 20, 0)), nodes(node(1)), T0), T0);
        Job hurt = wounded(over, 1, nodes(node(0), node(1)), node(1));
        Job second = StartDecisions.placed(hurt, placement(2, nodes(node(0), SPARE)), Set.of(SPARE), T0);
        Job up = up(toldToRun(answered(second, restored(40))));
        Job trained = AttemptDecisions.reported(up, node(0), progress(up, 41), T0);
        assertThat(JobStates.of(up).firstStepAt()).isNull();
        assertThat(JobStates.of(trained).firstStepAt()).isEqualTo(T0);
        assertThat(JobStates.of(AttemptDecisions.reported(trained, node(0), progress(up, 42), T0.plusSeconds(9)))
                        .firstStepAt())
                .isEqualTo(T0);
        assertThat(AttemptDecisions.reported(up, node(0), progress(up, 40), T0)
                        .attemptOrThrow()
                        .training()
                        .firstStepAt())
                .as("not a step of its own")
                .isNull();
        assertThat(trained.notes())
                .extracting(note -> note.code() + " " + note.attempt() + " " + note.message())
                .containsExactly(
                        "ATTEMPT_STARTED 1 attempt 1 started on generation 1: n0, n1",
                        "STARTED_FRESH 1 attempt 1 starts from the beginning: no checkpoint yet",
                        "NODE_LOST 1 node n1 (node rank 1 of 2) was lost in attempt 1",
                        "GANG_WOUNDED 1 generation 1 has lost 1 of 2 nodes: n1; the scheduler replaces them, spares first",
                        "GANG_REPAIRED 1 generation 2: s1 (a spare) replaces n1 as node rank 1",
                        "ATTEMPT_STARTED 2 attempt 2 started on generation 2: n0, s1",
                        "RESTORED 2 attempt 2 restores checkpoint chk_00000000001 of step 40, verified on all 2 nodes",
                        "FIRST_STEP 2 attempt 2 has trained step 41, its first report after restored step 40");
    }

    private static AttemptReport progress(Job job, long step) {
        return new AttemptReport(
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
    }

    static RestoreDecision restored(long step) {
        return new RestoreDecision(
                RestoreVerdict.RESTORED, new CheckpointId("chk_00000000001"), step, List.of(), "the newest commit");
    }
}
