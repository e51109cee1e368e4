package io.muster.job.lifecycle;

import static io.muster.job.lifecycle.JobFixture.T0;
import static io.muster.job.lifecycle.JobFixture.allGone;
import static io.muster.job.lifecycle.JobFixture.gone;
import static io.muster.job.lifecycle.JobFixture.lost;
import static io.muster.job.lifecycle.JobFixture.node;
import static io.muster.job.lifecycle.JobFixture.placement;
import static io.muster.job.lifecycle.JobFixture.queued;
import static io.muster.job.lifecycle.JobFixture.report;
import static io.muster.job.lifecycle.JobFixture.running;
import static io.muster.job.lifecycle.JobFixture.toldToRun;
import static io.muster.job.lifecycle.JobFixture.up;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.contract.agent.MemberPhase;
import io.muster.contract.id.NodeId;
import io.muster.contract.job.JobPhase;
import io.muster.contract.node.PreflightVerdict;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A job never starves by the list of nodes that it does not use. */
class ShunningTest {

    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final Shunning SHUNNING = new Shunning(LIMIT);
    private static final int NODES = 6;
    private static final Instant MINUTE = T0.plusSeconds(60);

    /** The start on these nodes failed, and these are blamed; the job waits again. */
    private static Job blamed(Job queued, List<NodeId> nodes, List<NodeId> blamed, Instant now) {
        Job starting = StartDecisions.placed(queued, placement(queued.holding().generation() + 1, nodes), now);
        Job failed = AttemptDecisions.reported(
                inPreflight(starting, nodes, now),
                nodes.getFirst(),
                report(starting, MemberPhase.PREFLIGHT_FAILED, null, List.of()),
                now);
        int number = failed.attemptOrThrow().number();
        return allGone(
                StartDecisions.judged(failed, number, new PreflightVerdict(true, blamed, "their checks"), now), now);
    }

    private static Job inPreflight(Job starting, List<NodeId> nodes, Instant now) {
        return StartDecisions.restoreDecided(
                starting, starting.attemptOrThrow().number(), JobFixture.fresh(), JobFixture.addresses(nodes), now);
    }

    private static List<NodeId> all() {
        return IntStream.range(0, NODES).mapToObj(JobFixture::node).toList();
    }

    @Test
    void aJobThatBlamedEveryNodeHasThemBackAfterAMinuteThoughHealthServiceSaysNothing() {
        Job job = blamed(queued(NODES, 20, 0), all(), all(), T0);
        assertThat(job.phase()).isEqualTo(JobPhase.QUEUED);
        assertThat(JobStates.of(job).failedNodes()).isEqualTo(all());
        assertThat(SHUNNING.end(job)).isEqualTo(MINUTE);
        assertThat(SHUNNING.enforced(job, MINUTE.minusMillis(1))).isEqualTo(job);
        Job back = SHUNNING.enforced(job, MINUTE);
        assertThat(JobStates.of(back).failedNodes()).isEmpty();
        assertThat(SHUNNING.end(back)).isNull();
        assertThat(back.status()).as("it still waits").isEqualTo(job.status());
    }

    @Test
    void aNodeThatMayTakeNewWorkAgainIsBackAtOnceAndOneThatIsHeldIsNot() {
        Job job = blamed(queued(2, 20, 0), List.of(node(0), node(1)), List.of(node(0), node(1)), T0);
        assertThat(AttemptDecisions.found(job, node(0), 1, false)).isEqualTo(job);
        assertThat(AttemptDecisions.found(job, node(0), 1, true).holding().failedNodes())
                .containsExactly(node(1));
    }

    @Test
    void anOldBlameIsOverAsSoonAsTheJobWaitsAndARunningJobIsNotWokenForIt() {
        Job job = blamed(queued(2, 20, 0), List.of(node(0), node(1)), List.of(node(4)), T0);
        Job runs = running(job);
        assertThat(runs.phase()).isEqualTo(JobPhase.RUNNING);
        assertThat(SHUNNING.end(runs)).isNull();
        assertThat(SHUNNING.enforced(runs, T0.plus(LIMIT))).isEqualTo(runs);

        Instant late = T0.plus(LIMIT);
        Job wounded = lost(runs, List.of(node(1)), late);
        assertThat(SHUNNING.end(wounded)).isEqualTo(late);
        assertThat(SHUNNING.enforced(wounded, late).holding().failedNodes())
                .as("the lost one is held")
                .containsExactly(node(1));

        Instant early = T0.plusSeconds(30);
        Job soon = lost(runs, List.of(node(1)), early);
        assertThat(SHUNNING.end(soon)).isEqualTo(early.plus(Shunning.PATIENCE));
        assertThat(SHUNNING.enforced(soon, early.plus(Shunning.PATIENCE))
                        .holding()
                        .failedNodes())
                .as("a repair that needs the blamed node")
                .containsExactly(node(1));
    }

    @Test
    void aLostNodeOfWhichNoNewerLifeIsHeardDoesNotStarveTheJobEither() {
        Job wounded = allGone(lost(running(queued(2, 20, 0)), List.of(node(1)), T0), T0);
        assertThat(SHUNNING.end(wounded)).as("the repair wait ends it").isNull();
        Job queued = RepairDecisions.givenUp(wounded, LIMIT, T0);
        assertThat(queued.holding().failedNodes()).containsExactly(node(1));
        assertThat(SHUNNING.enforced(queued, MINUTE).holding().failedNodes()).isEmpty();
    }

    @Test
    void theSameLossToldAgainDoesNotBeginAnew() {
        Job once = lost(running(queued(2, 20, 0)), List.of(node(1)), T0);
        Job twice = lost(once, List.of(node(1)), MINUTE);
        assertThat(twice.holding().shunned()).containsExactly(new Shunned(node(1), T0, 1L));
        Job newer = AttemptDecisions.lost(once, List.of(new Job.LostNode(node(1), 2)), MINUTE);
        assertThat(newer.holding().shunned()).containsExactly(new Shunned(node(1), MINUTE, 2L));
    }

    @Test
    void theLimitIsAboveZero() {
        assertThatThrownBy(() -> new Shunning(Duration.ZERO)).hasMessageContaining("muster.job.shun-time");
    }

    /** Starts that fail, nodes that are lost and come back, in any order: the list ends, never early, and a late look ends the same. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233})
    void whateverHappensAWaitingJobShunsNobodyForMoreThanAMinute(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 60; round++) {
            new World(random).lived(12);
        }
    }

    /** One job that needs half of the nodes; health-service tells what it likes. */
    private static final class World {

        private final Random random;
        private final long[] sessions = new long[NODES];
        private Job job = queued(NODES / 2, 20, 0);
        private Instant now = T0;

        World(Random random) {
            this.random = random;
            Arrays.fill(sessions, 1);
        }

        void lived(int events) {
            for (int event = 0; event < events && !job.phase().ended(); event++) {
                assertThat(job.phase()).isEqualTo(JobPhase.QUEUED);
                switch (random.nextInt(4)) {
                    case 0 -> startFails();
                    case 1 -> runsAndLosesANode();
                    case 2 -> healthServiceTells();
                    default -> timePasses(Duration.ofSeconds(random.nextInt(45)));
                }
            }
            if (!job.phase().ended()) {
                Instant waits = job.status().since();
                timePasses(Shunning.PATIENCE);
                assertThat(job.holding().failedNodes())
                        .as("waits since %s, now %s", waits, now)
                        .isEmpty();
                assertThat(SHUNNING.end(job)).isNull();
            }
        }

        private List<NodeId> usable() {
            List<NodeId> nodes = new ArrayList<>(all());
            nodes.removeAll(job.holding().failedNodes());
            Collections.shuffle(nodes, random);
            return nodes;
        }

        private void startFails() {
            List<NodeId> nodes = usable();
            if (nodes.size() >= NODES / 2) {
                List<NodeId> gang = nodes.subList(0, NODES / 2);
                List<NodeId> guilty = gang.subList(0, random.nextInt(gang.size() + 1));
                List<NodeId> before = job.holding().failedNodes();
                job = blamed(job, gang, guilty, now);
                if (!job.phase().ended()) {
                    assertThat(job.holding().failedNodes()).containsAll(before).containsAll(guilty);
                }
            }
        }

        private void runsAndLosesANode() {
            List<NodeId> nodes = usable();
            if (nodes.size() >= NODES / 2) {
                List<NodeId> gang = nodes.subList(0, NODES / 2);
                Job starting =
                        StartDecisions.placed(job, placement(job.holding().generation() + 1, gang), now);
                Job runs = up(toldToRun(inPreflight(starting, gang, now)));
                NodeId dead = gang.getFirst();
                Job.LostNode loss = new Job.LostNode(dead, sessions[all().indexOf(dead)]);
                job = AttemptDecisions.lost(runs, List.of(loss), now);
                if (!job.phase().ended()) {
                    List<NodeId> rest = gang.subList(1, gang.size());
                    rest.forEach(node -> job = AttemptDecisions.reported(job, node, gone(job), now));
                    assertThat(job.holding().failedNodes()).contains(dead);
                    job = job.phase().ended() ? job : RepairDecisions.givenUp(job, LIMIT, now);
                }
            }
        }

        private void healthServiceTells() {
            int about = random.nextInt(NODES);
            sessions[about] += random.nextInt(2);
            boolean takesNewWork = random.nextBoolean();
            List<Shunned> before = job.holding().shunned();
            job = AttemptDecisions.found(job, node(about), sessions[about], takesNewWork);
            for (Shunned one : before) {
                boolean ended = one.node().equals(node(about))
                        && (one.wasLost() ? sessions[about] > one.lostInSession() : takesNewWork);
                assertThat(job.holding().shunned().contains(one)).isEqualTo(!ended);
            }
        }

        /** Job-service looks when it said that it would; one that was down and looks at the end sees the same. */
        private void timePasses(Duration time) {
            Instant end = now.plus(time);
            Job late = SHUNNING.enforced(job, end);
            Instant next = SHUNNING.end(job);
            while (next != null && !next.isAfter(end)) {
                Job after = SHUNNING.enforced(job, next);
                assertThat(after).as("a look that is due changes something").isNotEqualTo(job);
                for (Shunned one : job.holding().shunned()) {
                    Instant waits = one.since().isAfter(job.status().since())
                            ? one.since()
                            : job.status().since();
                    assertThat(after.holding().shunned().contains(one)
                                    || !waits.plus(Shunning.PATIENCE).isAfter(next))
                            .as("not early")
                            .isTrue();
                }
                job = after;
                next = SHUNNING.end(job);
            }
            assertThat(late).isEqualTo(job);
            now = end;
        }
    }
}
