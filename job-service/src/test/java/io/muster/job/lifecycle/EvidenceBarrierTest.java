package io.muster.job.lifecycle;

import static io.muster.job.lifecycle.JobFixture.T0;
import static io.muster.job.lifecycle.JobFixture.allGone;
import static io.muster.job.lifecycle.JobFixture.asked;
import static io.muster.job.lifecycle.JobFixture.exit;
import static io.muster.job.lifecycle.JobFixture.gone;
import static io.muster.job.lifecycle.JobFixture.heard;
import static io.muster.job.lifecycle.JobFixture.lost;
import static io.muster.job.lifecycle.JobFixture.node;
import static io.muster.job.lifecycle.JobFixture.placement;
import static io.muster.job.lifecycle.JobFixture.queued;
import static io.muster.job.lifecycle.JobFixture.ranks;
import static io.muster.job.lifecycle.JobFixture.running;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.agent.ExitCause;
import io.muster.contract.id.NodeId;
import io.muster.contract.job.JobPhase;
import io.muster.contract.node.Fitness;
import io.muster.contract.node.Hold;
import io.muster.contract.node.HoldEffect;
import io.muster.contract.node.HoldScope;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** When a verdict may be given, and what is concluded from silence. */
class EvidenceBarrierTest {

    private static final Instant CAP = T0.plus(EvidenceBarrier.LONGEST);

    private static Job exited(Job job, int node, ExitCause cause, String line) {
        Member member = job.attemptOrThrow().members().get(node);
        return AttemptDecisions.reported(job, member.node(), ranks(job, member, exit(cause, 1, line), -1), T0);
    }

    private static Job acknowledged(Job job, int node, long revision) {
        return EvidenceBarrier.acknowledged(job, node(node), revision, T0);
    }

    private static Fitness alive(NodeId node) {
        return new Fitness(node, true, true, List.of(), false);
    }

    private static Fitness expired(NodeId node) {
        return new Fitness(node, true, false, List.of(), false);
    }

    private static Fitness incident(NodeId node) {
        return new Fitness(node, true, false, List.of(), true);
    }

    private static Fitness under(NodeId node, HoldScope scope, String target, HoldEffect effect, String cause) {
        Hold hold = new Hold("hold_1", scope, target, effect, cause, "", "health", 3, T0, null);
        return new Fitness(node, true, true, List.of(hold), false);
    }

    @Test
    void theVerdictWaitsUntilEveryAgentHasTakenTheRevisionIn() {
        Job job = running(queued(3, 20, 0));
        Job hurt = exited(job, 1, ExitCause.USER_ERROR, "ValueError: boom");
        assertThat(hurt.phase()).isEqualTo(JobPhase.RUNNING);
        assertThat(hurt.status().reason()).isEqualTo(JobReason.WAITING_FOR_EVIDENCE);
        assertThat(hurt.status().message()).contains("rank 1 on node n1").contains("all 3 nodes");
        assertThat(EvidenceBarrier.opened(job, hurt)).containsExactly(node(0), node(1), node(2));
        assertThat(EvidenceBarrier.opened(hurt, hurt)).as("once").isEmpty();
        Job asked = asked(hurt);
        assertThat(acknowledged(asked, 0, 6)).as("an older revision").isSameAs(asked);
        assertThat(AttemptDecisions.nextLook(asked, T0)).isEqualTo(T0.plus(AttemptDecisions.RETRY));
        Job two = acknowledged(acknowledged(asked, 0, 7), 1, 9);
        assertThat(two.phase()).isEqualTo(JobPhase.RUNNING);
        assertThat(EvidenceBarrier.questions(two)).containsExactly(node(2));
        assertThat(AttemptDecisions.advanced(two, CAP.minusMillis(1)).phase()).isEqualTo(JobPhase.RUNNING);
        Job stopping = acknowledged(two, 2, 7);
        assertThat(stopping.phase()).isEqualTo(JobPhase.STOPPING);
        Job failed = allGone(stopping, T0);
        assertThat(failed.phase()).isEqualTo(JobPhase.FAILED);
        assertThat(failed.status().message())
                .isEqualTo("rank 1 on node n1 ended with exit code 1: ValueError: boom; not restarted: "
                        + "0 of 0 user restarts are used (faultTolerance.userRestarts)");
        assertThat(JobStates.of(failed).failedNodes()).isEmpty();
    }

    @Test
    void aHoldEndsTheWaitAtOnce() {
        Job hurt = asked(exited(running(queued(2, 20, 0)), 0, ExitCause.LOST_CONNECTION, "reset by peer"));
        Job lost = lost(hurt, List.of(node(1)), T0);
        assertThat(lost.phase()).isEqualTo(JobPhase.RECOVERING);
        assertThat(lost.status().reason()).isEqualTo(JobReason.NODE_LOST);
        Job byAnswer = EvidenceBarrier.answered(
                hurt, under(node(1), HoldScope.DOMAIN, "rack/r1", HoldEffect.EVICT, "RACK_LOST"), T0);
        assertThat(byAnswer.status().reason()).isEqualTo(JobReason.NODE_LOST);
        assertThat(byAnswer.holding().shunned()).containsExactly(new Shunned(node(1), T0, 3L));
        Job gpu = EvidenceBarrier.answered(
                asked(exited(running(queued(2, 20, 0)), 0, ExitCause.LOST_CONNECTION, "x")),
                under(node(1), HoldScope.GPU, "n1/0", HoldEffect.EVICT, "VETOED"),
                T0);
        assertThat(gpu.phase()).as("a hold on a GPU wounds nobody").isEqualTo(JobPhase.RUNNING);
    }

    @Test
    void aLostLeaseWithoutAHoldPutsTheNodeInQuestionUntilItIsHeldOrFit() {
        Job hurt = asked(exited(running(queued(2, 20, 0)), 0, ExitCause.LOST_CONNECTION, "reset by peer"));
        Job waiting = acknowledged(hurt, 0, 7);
        assertThat(EvidenceBarrier.answered(waiting, alive(node(1)), T0)).isSameAs(waiting);
        Job silent = EvidenceBarrier.answered(waiting, expired(node(1)), T0);
        assertThat(silent.phase()).isEqualTo(JobPhase.RECOVERING);
        assertThat(silent.status().message()).contains("node n1 (node rank 1) is silent and its lease is lost");
        assertThat(silent.attemptOrThrow().leadsTo(Ending.Follow.REPAIR)).isTrue();
        assertThat(EvidenceBarrier.questions(silent)).containsExactly(node(1));
        assertThat(AttemptDecisions.nextLook(silent, T0)).isEqualTo(T0.plus(AttemptDecisions.RETRY));

        Job held = EvidenceBarrier.answered(
                AttemptDecisions.reported(silent, node(0), gone(silent), T0),
                under(node(1), HoldScope.NODE, "n1", HoldEffect.EVICT, "LEASE_EXPIRED"),
                T0);
        assertThat(held.attemptOrThrow().over()).isTrue();
        assertThat(EvidenceBarrier.questions(held)).as("answered").isEmpty();
        Job repaired = StartDecisions.placed(held, placement(2, List.of(node(0), new NodeId("s1"))), T0);
        assertThat(repaired.attemptOrThrow().generation()).isEqualTo(2);
        assertThat(repaired.restarts()).isEqualTo(new Restarts(1, 0, null));

        Job back = allGone(silent, T0);
        assertThat(AttemptDecisions.advanced(back, T0))
                .as("nobody has said that it is fit")
                .isEqualTo(back);
        for (Fitness unfit : List.of(
                expired(node(1)),
                new Fitness(node(1), false, true, List.of(), false),
                under(node(1), HoldScope.NODE, "n1", HoldEffect.NO_NEW_WORK, "CHECK_FAILED"))) {
            assertThat(EvidenceBarrier.answered(back, unfit, T0)).isEqualTo(back);
        }
        for (Fitness fit :
                List.of(alive(node(1)), under(node(1), HoldScope.NODE, "n1", HoldEffect.NO_NEW_WORK, "CORDONED"))) {
            Job next = EvidenceBarrier.answered(back, fit, T0);
            assertThat(next.attemptOrThrow().number()).isEqualTo(2);
            assertThat(next.attemptOrThrow().generation()).as("the same").isEqualTo(1);
            assertThat(next.restarts()).isEqualTo(new Restarts(1, 0, null));
        }
    }

    /** Why nobody can tell whether a silent node lives. */
    enum NoWord {
        INCIDENT,
        HEALTH_SERVICE_AWAY
    }

    @ParameterizedTest
    @EnumSource
    void whileNobodyCanTellWhetherASilentNodeLivesNothingIsConcludedFromSilence(NoWord why) {
        Job waiting =
                acknowledged(asked(exited(running(queued(2, 20, 0)), 0, ExitCause.LOST_CONNECTION, "reset")), 0, 7);
        Job told = waiting;
        Instant now = T0;
        for (int second = 0; second <= 600; second += 5) {
            now = T0.plusSeconds(second);
            Job heard = switch (why) {
                case INCIDENT -> EvidenceBarrier.answered(told, incident(node(1)), now);
                case HEALTH_SERVICE_AWAY -> EvidenceBarrier.unanswered(told, node(1), now);
            };
            told = AttemptDecisions.advanced(heard, now);
            assertThat(told.phase()).isEqualTo(JobPhase.RUNNING);
        }
        assertThat(told.status().reason()).isEqualTo(JobReason.WAITING_FOR_EVIDENCE);
        assertThat(told.status().message())
                .contains(why == NoWord.INCIDENT ? "control-plane incident" : "does not answer")
                .contains("node n1");
        assertThat(told.restarts()).isEqualTo(Restarts.NONE);
        assertThat(EvidenceBarrier.answered(told, expired(node(1)), now)
                        .status()
                        .reason())
                .as("it is over")
                .isEqualTo(JobReason.NODE_LOST);
    }

    @Test
    void aSilentAgentWithALivingLeaseIsNotWaitedForForEverAndNoProgramIsBlamed() {
        Job waiting = acknowledged(
                asked(exited(running(queued(2, 20, 9)), 0, ExitCause.USER_ERROR, "ValueError: boom")), 0, 7);
        Job unclear = AttemptDecisions.advanced(waiting, CAP);
        assertThat(unclear.phase()).isEqualTo(JobPhase.RECOVERING);
        assertThat(unclear.status().reason()).isEqualTo(JobReason.EVIDENCE_MISSING);
        assertThat(unclear.status().message())
                .contains("1 of 2 agents")
                .contains("120 s")
                .contains("n1");
        Job over = allGone(unclear, CAP);
        assertThat(over.restarts()).isEqualTo(new Restarts(1, 0, null));
        assertThat(EvidenceBarrier.questions(over)).containsExactly(node(1));
        Job next = EvidenceBarrier.answered(over, alive(node(1)), CAP);
        assertThat(next.attemptOrThrow().number()).isEqualTo(2);
        Job none = allGone(
                AttemptDecisions.advanced(
                        acknowledged(asked(exited(running(queued(2, 0, 9)), 0, ExitCause.USER_ERROR, "boom")), 0, 7),
                        CAP),
                CAP);
        assertThat(none.phase()).as("no platform restart is left").isEqualTo(JobPhase.FAILED);
        assertThat(none.status().reason()).isEqualTo(JobReason.EVIDENCE_MISSING);
    }

    /** The kernel says later why a process was killed; whoever waits for the revision hears it. */
    @ParameterizedTest
    @EnumSource(
            value = ExitCause.class,
            names = {"SIGNAL", "USER_ERROR", "LOST_CONNECTION"})
    void aKernelLineThatComesWithTheAcknowledgementDecides(ExitCause first) {
        Job hurt = asked(exited(exited(running(queued(2, 0, 1)), 0, first, "died"), 1, ExitCause.LOST_CONNECTION, "x"));
        Job told = exited(hurt, 0, ExitCause.OUT_OF_MEMORY, "Out of memory: Killed process 100");
        Job verdict = heard(told, T0);
        assertThat(verdict.attemptOrThrow().ending().reason()).isEqualTo(JobReason.OUT_OF_MEMORY);
        Job weaker = exited(told, 0, first, "died");
        assertThat(heard(weaker, T0).attemptOrThrow().ending().reason())
                .as("a late weaker word changes nothing")
                .isEqualTo(JobReason.OUT_OF_MEMORY);
    }

    /**
     * Peers die of a lost connection, the dying node's own exits and kernel line come late or never, its lease runs out and
     * the hold comes at any moment, each twice.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
    void theOrderOfTheFactsChangesNeitherTheVerdictNorTheCharge(int block) {
        for (int platform = 0; platform <= 1; platform++) {
            for (int user = 0; user <= 1; user++) {
                Job job = running(queued(4, platform, user));
                for (int order = 0; order < 100; order++) {
                    long seed = block * 100L + order;
                    Job end = inOrder(job, seed);
                    String what = "seed %d platform %d user %d: %s".formatted(seed, platform, user, end.status());
                    assertThat(end.phase()).as(what).isEqualTo(platform == 0 ? JobPhase.FAILED : JobPhase.RECOVERING);
                    assertThat(end.attemptOrThrow().ending().reason()).as(what).isEqualTo(JobReason.NODE_LOST);
                    assertThat(end.restarts()).as(what).isEqualTo(new Restarts(platform, 0, null));
                    assertThat(JobStates.of(end).failedNodes()).as(what).containsExactly(node(2));
                    assertThat(JobStates.of(end).releasedMembers()).as(what).hasSize(platform == 0 ? 4 : 0);
                }
            }
        }
    }

    private static Job inOrder(Job job, long seed) {
        Random random = new Random(seed);
        List<ExitCause> late = List.of(ExitCause.SIGNAL, ExitCause.USER_ERROR, ExitCause.LOST_CONNECTION);
        List<UnaryOperator<Job>> facts = new ArrayList<>();
        for (int number = 0; number < 4; number++) {
            int rank = number;
            boolean dying = rank == 2;
            ExitCause cause = dying ? late.get(random.nextInt(late.size())) : ExitCause.LOST_CONNECTION;
            if (!dying || random.nextBoolean()) {
                facts.add(one -> exited(one, rank, cause, "line " + rank));
            }
            if (dying && random.nextBoolean()) {
                facts.add(one -> exited(one, rank, ExitCause.OUT_OF_MEMORY, "line " + rank));
            }
            if (!dying) {
                facts.add(one -> acknowledged(one, rank, 7));
                facts.add(one -> one.attemptOrThrow().stage() == AttemptStage.STOPPING
                        ? AttemptDecisions.reported(one, node(rank), gone(job), T0)
                        : one);
            }
        }
        facts.add(one -> lost(one, List.of(node(2)), T0));
        if (random.nextBoolean()) {
            facts.add(one -> EvidenceBarrier.answered(one, expired(node(2)), T0));
        }
        facts.addAll(List.copyOf(facts));
        Collections.shuffle(facts, random);
        Job next = job;
        Instant now = T0;
        for (UnaryOperator<Job> fact : facts) {
            now = now.plus(Duration.ofSeconds(random.nextInt(4)));
            Job before = next;
            next = fact.apply(next);
            next = AttemptDecisions.advanced(
                    EvidenceBarrier.opened(before, next).isEmpty() ? next : asked(next), now);
        }
        for (int rank : List.of(0, 1, 3)) {
            next = AttemptDecisions.reported(next, node(rank), gone(job), now);
        }
        return AttemptDecisions.advanced(next, now);
    }
}
