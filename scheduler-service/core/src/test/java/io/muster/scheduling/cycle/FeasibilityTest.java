package io.muster.scheduling.cycle;

import static io.muster.scheduling.fixture.Nodes.node;
import static io.muster.scheduling.fixture.TestCluster.quota;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.scheduling.cluster.Demand;
import io.muster.scheduling.cluster.HoldEffect;
import io.muster.scheduling.explain.PendingReason;
import io.muster.scheduling.fixture.RandomHistory;
import io.muster.scheduling.fixture.TestCluster;
import io.muster.scheduling.gang.GangRequest;
import io.muster.scheduling.gang.JobId;
import io.muster.scheduling.quota.QueuePath;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FeasibilityTest {

    private static Feasibility check(TestCluster cluster, GangRequest request) {
        return Feasibility.check(cluster.copy.publish(), request, TestCluster.QUEUE, cluster.now());
    }

    @Test
    void startsNowLaterOrNever() {
        TestCluster cluster = TestCluster.racks(1, 4);
        cluster.occupy("x", 8, "r0-n0", "r0-n1");
        assertThat(check(cluster, GangRequest.of(2, 8)))
                .isInstanceOfSatisfying(
                        Feasibility.CanStartNow.class,
                        now -> assertThat(now.placement().members()).hasSize(2));
        assertThat(check(cluster, GangRequest.of(3, 8)))
                .isInstanceOfSatisfying(
                        Feasibility.CanFitLater.class,
                        later ->
                                assertThat(later.explanation().mainReason()).isEqualTo(PendingReason.WAITING_FOR_GPUS));
        assertThat(check(cluster, GangRequest.of(5, 8)))
                .isInstanceOfSatisfying(
                        Feasibility.NeverFits.class,
                        never -> assertThat(never.explanation().mainReason()).isEqualTo(PendingReason.EXCEEDS_CLUSTER));
    }

    @Test
    void heldNodesCountForNever() {
        TestCluster cluster = TestCluster.of(
                node("a"), node("b").effects(HoldEffect.EVICT), node("c").alive(false));
        assertThat(check(cluster, GangRequest.of(3, 8))).isInstanceOf(Feasibility.CanFitLater.class);
    }

    @Test
    void quotaLimitsCountForNeverAndUseDoesNot() {
        TestCluster cluster = TestCluster.racks(1, 4).quota(quota("/", null), quota("team", 16));
        cluster.occupy("x", 8, "r0-n0");
        assertThat(check(cluster, GangRequest.of(2, 8))).isInstanceOf(Feasibility.CanFitLater.class);
        assertThat(check(cluster, GangRequest.of(3, 8))).isInstanceOf(Feasibility.NeverFits.class);
        assertThat(Feasibility.check(cluster.copy, GangRequest.of(1, 8), new QueuePath("gone"), cluster.now()))
                .isInstanceOf(Feasibility.NeverFits.class);
    }

    @Test
    void withoutNodesOrQuotaTreeNothingIsSaid() {
        assertThat(check(TestCluster.of(), GangRequest.of(1, 8))).isInstanceOf(Feasibility.Unknown.class);
        TestCluster cluster = new TestCluster();
        cluster.apply(node("a").record());
        assertThat(check(cluster, GangRequest.of(100, 8))).isInstanceOf(Feasibility.Unknown.class);
    }

    /** What is said of a gang before it is submitted is what is decided when it is. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void agreesWithTheDecision(long seed) {
        RandomHistory history = new RandomHistory(seed, 10);
        for (int step = 0; step < 40; step++) {
            history.step();
            history.decide();
            JobId job = history.submit();
            Demand demand = history.copy.job(job).orElseThrow().demand();
            Feasibility said = Feasibility.check(history.copy, demand.gang(), demand.queue(), Instant.EPOCH);
            int before = history.decisions.size();
            history.decide();
            Decision decided = history.decisions.get(before);
            switch (said) {
                case Feasibility.CanStartNow now -> assertThat(decided).isInstanceOf(Decision.Placed.class);
                case Feasibility.CanFitLater later -> assertThat(decided).isInstanceOf(Decision.Waiting.class);
                case Feasibility.NeverFits never -> assertThat(decided).isInstanceOf(Decision.Impossible.class);
                case Feasibility.Unknown unknown -> assertThat(decided).isInstanceOf(Decision.Waiting.class);
            }
        }
    }
}
