package io.muster.job.lifecycle;

import static io.muster.job.lifecycle.JobFixture.T0;
import static io.muster.job.lifecycle.JobFixture.allGone;
import static io.muster.job.lifecycle.JobFixture.answered;
import static io.muster.job.lifecycle.JobFixture.lost;
import static io.muster.job.lifecycle.JobFixture.node;
import static io.muster.job.lifecycle.JobFixture.placement;
import static io.muster.job.lifecycle.JobFixture.queued;
import static io.muster.job.lifecycle.JobFixture.running;
import static io.muster.job.lifecycle.JobFixture.toldToRun;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.contract.id.NodeId;
import io.muster.contract.job.JobPhase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A repair that does not come, or is not wanted any more. */
class RepairWaitTest {

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
    void withoutARepairInTimeAllIsReleasedAndPlacedAnewAheadOfItsPeers() {
        Job over = allGone(lost(running(queued(2, 20, 0)), nodes(node(1)), T0), T0);
        Instant end = T0.plus(Duration.ofMinutes(10));
        assertThat(WAIT.end(over)).isEqualTo(end);
        assertThat(WAIT.enforced(over, end.minusMillis(1))).isSameAs(over);
        Job again = WAIT.enforced(over, end);
        assertThat(again.phase()).isEqualTo(JobPhase.QUEUED);
        assertThat(again.status().message()).contains("600 s").contains("a replacement of n1");
        assertThat(JobStates.of(again).requeued()).isTrue();
        assertThat(JobStates.of(again).releasedMembers()).containsExactly(node(0), node(1));
        assertThat(placed(again, 2, node(0), SPARE).phase()).as("it crossed").isEqualTo(JobPhase.STARTING);

        Job stopping = lost(running(queued(3, 20, 0)), nodes(node(1)), T0);
        Job half = WAIT.enforced(gone(stopping, node(0)), end);
        assertThat(half.attemptOrThrow().leadsTo(Ending.Follow.REQUEUE)).isTrue();
        assertThat(JobStates.of(half).releasedMembers()).containsExactly(node(0), node(1));
        assertThat(JobStates.of(half).wantsGpus()).isFalse();
        Job crossed = placed(half, 2, node(0), SPARE, node(2));
        assertThat(JobStates.of(crossed).releasedMembers())
                .as("what nothing runs on")
                .containsExactly(node(0), SPARE);
        Job done = gone(crossed, node(2));
        assertThat(done.phase()).isEqualTo(JobPhase.QUEUED);
        assertThat(JobStates.of(done).releasedMembers()).containsExactly(node(0), SPARE, node(2));
        assertThat(done.restarts().platform()).isEqualTo(1);
    }

    @Test
    void theWaitBeginsAnewWithEveryGenerationAndNeverForAWholeGang() {
        Job stopping = lost(running(queued(2, 20, 0)), nodes(node(1)), T0);
        Instant later = T0.plusSeconds(300);
        Job whole = StartDecisions.placed(stopping, placement(2, nodes(node(0), SPARE)), later);
        assertThat(WAIT.end(whole)).isNull();
        Job hurt = StartDecisions.placed(whole, placement(2, nodes(node(0), SPARE), nodes(SPARE), null), later);
        assertThat(WAIT.end(hurt)).isEqualTo(later.plus(Duration.ofMinutes(10)));
        assertThat(WAIT.end(running(queued(2, 20, 0)))).isNull();
        assertThat(WAIT.end(queued(2, 20, 0))).isNull();
        assertThatThrownBy(() -> new RepairWait(Duration.ZERO)).hasMessageContaining("muster.job.repair-wait");
    }

    @Test
    void cancelAtEveryMomentOfARepairReleasesWhatNothingRunsOn() {
        Job stopping = lost(running(queued(3, 20, 0)), nodes(node(1)), T0);
        Job noticed = placed(stopping, 2, node(0), SPARE, node(2));
        Job over = gone(gone(stopping, node(0)), node(2));
        Job hurt = wounded(over, 2, nodes(node(0), SPARE, node(2)), SPARE);
        Job second = placed(over, 2, node(0), SPARE, node(2));
        Job preflight = answered(second, JobFixture.fresh());
        Job run = toldToRun(preflight);
        Job cancelled = AttemptDecisions.cancelled(noticed, T0);
        assertThat(cancelled.phase()).isEqualTo(JobPhase.STOPPING);
        assertThat(JobStates.of(cancelled).generation()).isEqualTo(2);
        assertThat(JobStates.of(cancelled).releasedMembers())
                .as("nothing was started on it")
                .containsExactly(SPARE);
        assertThat(JobStates.of(gone(cancelled, node(2))).releasedMembers()).containsExactly(SPARE, node(2));
        for (Job job : List.of(stopping, noticed, over, hurt, second, preflight, run)) {
            Job ending = AttemptDecisions.cancelled(job, T0);
            Job done = ending.phase().ended() ? ending : allGone(ending, T0);
            assertThat(done.phase()).isEqualTo(JobPhase.CANCELLED);
            assertThat(JobStates.of(done).releasedMembers()).hasSize(3);
            assertThat(JobStates.of(done).wantsGpus()).isFalse();
            int next = job.holding().generation() + 1;
            Job late = placed(done, next, node(0), OTHER, node(2));
            assertThat(JobStates.of(late).generation()).isEqualTo(next);
            assertThat(JobStates.of(late).releasedMembers())
                    .as("a repair that crossed the cancel")
                    .containsExactly(node(0), OTHER, node(2));
        }
    }
}
