package io.muster.scheduling.cycle;

import static io.muster.scheduling.fixture.Nodes.node;
import static io.muster.scheduling.fixture.TestCluster.quota;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.scheduling.cluster.ClusterImage;
import io.muster.scheduling.cluster.ClusterRecord.GangReleased;
import io.muster.scheduling.cluster.ClusterRecord.JobChanged;
import io.muster.scheduling.cluster.JobWish;
import io.muster.scheduling.explain.PendingReason;
import io.muster.scheduling.fixture.TestCluster;
import io.muster.scheduling.gang.GangRequest;
import io.muster.scheduling.gang.JobId;
import io.muster.scheduling.quota.QueuePath;
import java.util.List;
import org.junit.jupiter.api.Test;

class SchedulingCycleTest {

    private static final GangRequest BOTH = GangRequest.of(2, 8);

    private static List<String> order(List<Decision> decisions) {
        return decisions.stream().map(decision -> decision.job().value()).toList();
    }

    @Test
    void decidesByPriorityThenRequeuedThenSubmission() {
        TestCluster cluster = TestCluster.racks(1, 2);
        JobId first = cluster.submit("first", BOTH);
        cluster.decide();
        JobId low = cluster.submit("low", 1, TestCluster.QUEUE, BOTH);
        JobId peer = cluster.submit("peer", BOTH);
        JobId high = cluster.submit("high", 9, TestCluster.QUEUE, BOTH);
        cluster.requeue(first);
        List<Decision> decisions = cluster.decide();
        assertThat(order(decisions)).containsExactly("high", "first", "peer", "low");
        assertThat(cluster.nodesOf(high)).hasSize(2);
        cluster.end(high);
        assertThat(TestCluster.placed(cluster.decide(first)).orElseThrow().generation())
                .isEqualTo(2);
        assertThat(cluster.nodesOf(peer)).isEmpty();
        assertThat(cluster.nodesOf(low)).isEmpty();
    }

    @Test
    void aRequeuedGangGoesAheadOfAPeerThatWasSubmittedEarlier() {
        TestCluster cluster = TestCluster.racks(1, 2);
        cluster.occupy("x", 8, "r0-n0");
        cluster.submit("earlier", BOTH);
        JobId requeued = cluster.submit("requeued", GangRequest.of(1, 8));
        cluster.decide();
        cluster.apply(new GangReleased(new JobId("x"), 1));
        cluster.requeue(requeued);
        assertThat(order(cluster.decide())).containsExactly("requeued", "earlier");
        assertThat(cluster.nodesOf(requeued)).hasSize(1);
    }

    @Test
    void aWaitingHeadDoesNotStopThoseBehindAndTheySeeWhoIsAhead() {
        TestCluster cluster = TestCluster.racks(1, 3);
        cluster.occupy("x", 8, "r0-n0");
        cluster.submit("head", 9, TestCluster.QUEUE, GangRequest.of(3, 8));
        JobId small = cluster.submit("small", GangRequest.of(2, 8));
        JobId late = cluster.submit("late", GangRequest.of(1, 8));
        List<Decision> decisions = cluster.decide();
        assertThat(order(decisions)).containsExactly("head", "small", "late");
        assertThat(cluster.nodesOf(small)).hasSize(2);
        assertThat(cluster.nodesOf(late)).isEmpty();
        var why = TestCluster.why(decisions.getLast());
        assertThat(why.numbers().line()).satisfies(line -> {
            assertThat(line.position()).isEqualTo(2);
            assertThat(line.gpusAhead()).isEqualTo(24);
            assertThat(line.firstAhead()).containsExactly(new JobId("head"));
        });
        assertThat(why.blockers())
                .anySatisfy(blocker -> assertThat(blocker.reason()).isEqualTo(PendingReason.BEHIND_HIGHER_PRIORITY));
    }

    @Test
    void nothingNewCostsNothingAndLessRoomDecidesNobodyAgain() {
        TestCluster cluster = TestCluster.racks(1, 2);
        cluster.occupy("x", 8, "r0-n0");
        cluster.submit("big", BOTH);
        assertThat(cluster.decide()).hasSize(1);
        assertThat(cluster.decide()).isEmpty();
        cluster.submit("one", GangRequest.of(1, 8));
        assertThat(order(cluster.decide())).containsExactly("one");
        assertThat(cluster.decide()).isEmpty();
        cluster.apply(new GangReleased(new JobId("x"), 1));
        assertThat(order(cluster.decide())).containsExactly("big");
    }

    @Test
    void aFailedCommitIsTakenBackAndDecidedAgain() {
        TestCluster cluster = TestCluster.racks(1, 2);
        JobId job = cluster.submit("job", BOTH);
        ClusterImage before = cluster.copy.publish();
        List<Decision> first = cluster.decide();
        cluster.copy.rollback();
        cluster.sound();
        assertThat(cluster.nodesOf(job)).isEmpty();
        assertThat(before.allocation(job)).isEmpty();
        List<Decision> again = cluster.decide();
        assertThat(order(again)).isEqualTo(order(first));
        assertThat(TestCluster.placed(again.getFirst()).orElseThrow().generation())
                .isEqualTo(1);
    }

    @Test
    void aCycleStopsAtItsLimitAndTheNextGoesOn() {
        TestCluster cluster = TestCluster.racks(1, 4);
        for (int job = 0; job < 4; job++) {
            cluster.submit("job-" + job, GangRequest.of(1, 8));
        }
        SchedulingCycle two = new SchedulingCycle(2);
        assertThat(order(two.decide(cluster.copy, cluster.now()))).containsExactly("job-0", "job-1");
        assertThat(order(two.decide(cluster.copy, cluster.now()))).containsExactly("job-2", "job-3");
        assertThat(order(two.decide(cluster.copy, cluster.now()))).isEmpty();
    }

    @Test
    void quotaHoldsAtEveryAncestorAndIsFreedWithTheGang() {
        TestCluster cluster = TestCluster.racks(1, 4);
        cluster.quota(quota("/", null), quota("a", 16), quota("a/x", null), quota("a/y", null));
        QueuePath x = new QueuePath("a/x");
        QueuePath y = new QueuePath("a/y");
        JobId one = cluster.submit("one", 5, x, GangRequest.of(1, 8));
        JobId two = cluster.submit("two", 5, y, BOTH);
        JobId three = cluster.submit("three", 5, y, GangRequest.of(1, 8));
        List<Decision> decisions = cluster.decide();
        var why = TestCluster.why(decisions.get(1));
        assertThat(why.mainReason()).isEqualTo(PendingReason.WAITING_FOR_QUOTA);
        assertThat(why.sentence()).contains("needs 16 GPUs", "quota node a uses 8 of 16");
        assertThat(cluster.nodesOf(one)).hasSize(1);
        assertThat(cluster.nodesOf(three)).hasSize(1);
        cluster.end(one);
        assertThat(cluster.decide()).allSatisfy(decision -> assertThat(decision).isInstanceOf(Decision.Waiting.class));
        cluster.end(three);
        cluster.decide();
        assertThat(cluster.nodesOf(two)).hasSize(2);
    }

    @Test
    void aLimitLoweredBelowUseStopsNewWorkOnly() {
        TestCluster cluster = TestCluster.racks(1, 4);
        JobId runs = cluster.submit("runs", BOTH);
        cluster.decide();
        cluster.quota(quota("/", null), quota("team", 8));
        JobId waits = cluster.submit("waits", GangRequest.of(1, 8));
        assertThat(TestCluster.why(cluster.decide(waits)).mainReason()).isEqualTo(PendingReason.WAITING_FOR_QUOTA);
        assertThat(cluster.nodesOf(runs)).hasSize(2);
    }

    @Test
    void beforeTheQuotaTreeIsKnownNothingIsPlaced() {
        TestCluster cluster = new TestCluster();
        cluster.apply(node("a").record());
        JobId job = cluster.submit("job", GangRequest.of(1, 8));
        Decision decision = cluster.decide(job);
        assertThat(decision).isInstanceOf(Decision.Waiting.class);
        assertThat(TestCluster.why(decision).mainReason()).isEqualTo(PendingReason.NOT_EVALUATED_YET);
        cluster.quota(quota("/", null), quota("team", null));
        cluster.decide();
        assertThat(cluster.nodesOf(job)).containsExactly("a");
    }

    @Test
    void aJobThatNoLongerWantsAPlacementLeavesTheLine() {
        TestCluster cluster = TestCluster.racks(1, 1);
        JobId job = cluster.submit("job", GangRequest.of(1, 8));
        cluster.apply(new JobChanged(job, cluster.copy.job(job).orElseThrow().demand(), JobWish.NOTHING, 0));
        assertThat(cluster.decide()).isEmpty();
        assertThat(cluster.copy.waiting().size()).isZero();
    }
}
