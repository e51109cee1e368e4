package io.muster.scheduling.cycle;

import static io.muster.scheduling.fixture.Nodes.node;
import static io.muster.scheduling.fixture.TestCluster.quota;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.scheduling.cluster.ClusterRecord.GangReleased;
import io.muster.scheduling.explain.Explanation;
import io.muster.scheduling.explain.PendingReason;
import io.muster.scheduling.fixture.Nodes;
import io.muster.scheduling.fixture.TestCluster;
import io.muster.scheduling.gang.GangRequest;
import io.muster.scheduling.gang.GpuModel;
import io.muster.scheduling.gang.JobId;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Complaints about other schedulers, by their number in reference/scheduling.md section 3, with the right outcome. */
class GoldenScenarioTest {

    private static TestCluster nodes(int nodes, int gpus) {
        return TestCluster.of(IntStream.range(0, nodes)
                .mapToObj(number -> node("n" + number).gpus(gpus))
                .toArray(Nodes[]::new));
    }

    /** 1: gangs A and B of 100 arrive together on 100 nodes. */
    @Test
    void scenario1TwoGangsThatNeedEverythingNeverHoldPartsOfIt() {
        TestCluster cluster = nodes(100, 1);
        JobId a = cluster.submit("A", GangRequest.of(100, 1));
        JobId b = cluster.submit("B", GangRequest.of(100, 1));
        Decision second = cluster.decide(b);
        assertThat(cluster.nodesOf(a)).hasSize(100);
        assertThat(cluster.nodesOf(b)).isEmpty();
        Explanation why = TestCluster.why(second);
        assertThat(why.mainReason()).isEqualTo(PendingReason.WAITING_FOR_GPUS);
        assertThat(why.sentence()).contains("100 GPUs").contains("0 matching GPUs are free");
        cluster.end(a);
        cluster.decide();
        assertThat(cluster.nodesOf(b)).hasSize(100);
    }

    /** 3: 10 nodes x 6, 12 workers x 4: the sum fits, the nodes do not. */
    @Test
    void scenario3TheSumFitsAndTheNodesDoNot() {
        TestCluster cluster = nodes(12, 6);
        cluster.occupy("x", 3, "n10", "n11");
        JobId job = cluster.submit("job", GangRequest.of(12, 4));
        Decision decision = cluster.decide(job);
        assertThat(decision).isInstanceOf(Decision.Waiting.class);
        Explanation why = TestCluster.why(decision);
        assertThat(why.mainReason()).isEqualTo(PendingReason.FRAGMENTED);
        assertThat(why.sentence())
                .startsWith("Fragmentation: 66 matching GPUs")
                .contains("10 of 12 nodes are placeable");
        assertThat(cluster.nodesOf(job)).isEmpty();
    }

    /** 3 on exactly ten nodes: members are distinct nodes, so twelve never fit and the job is told so. */
    @Test
    void scenario3WithTooFewNodesIsImpossibleAndNotFragmented() {
        TestCluster cluster = nodes(10, 6);
        Decision decision = cluster.decide(cluster.submit("job", GangRequest.of(12, 4)));
        assertThat(decision).isInstanceOf(Decision.Impossible.class);
        assertThat(TestCluster.why(decision).mainReason()).isEqualTo(PendingReason.EXCEEDS_CLUSTER);
        assertThat(TestCluster.why(decision).sentence()).contains("only 10 of 10 registered nodes");
    }

    /** 8, without preemption: w4 can never fit, says so, and stops nobody. */
    @Test
    void scenario8AnImpossibleHeadIsMarkedAndStopsNobody() {
        TestCluster cluster = nodes(1, 8);
        cluster.quota(quota("/", 3), quota("team", null));
        cluster.submit("w4", 9, TestCluster.QUEUE, GangRequest.of(1, 4));
        JobId w3 = cluster.submit("w3", GangRequest.of(1, 3));
        List<Decision> decisions = cluster.decide();
        assertThat(decisions.getFirst()).isInstanceOf(Decision.Impossible.class);
        assertThat(TestCluster.why(decisions.getFirst()).sentence())
                .contains("needs 4 GPUs")
                .contains("allows 3");
        assertThat(cluster.nodesOf(w3)).hasSize(1);
    }

    /** 16: use is the sum of live allocations whatever ended in which order, twice told or late. */
    @Test
    void scenario16QuotaIsReleasedWithEveryEnd() {
        TestCluster cluster = nodes(4, 8);
        cluster.quota(quota("/", 32), quota("team", 32));
        JobId one = cluster.submit("one", GangRequest.of(2, 8));
        JobId two = cluster.submit("two", GangRequest.of(2, 8));
        cluster.decide();
        assertThat(cluster.copy.quotaUsed(0)).isEqualTo(32);
        cluster.end(one);
        cluster.apply(new GangReleased(one, 1));
        assertThat(cluster.copy.quotaUsed(0)).isEqualTo(16);
        cluster.end(two);
        assertThat(cluster.copy.quotaUsed(0)).isZero();
    }

    /** 18, as far as it goes without reservations: independent pools never block one another. */
    @Test
    void scenario18AGiantOfOneModelDoesNotBlockTheOther() {
        TestCluster cluster = TestCluster.of(
                node("a").model("H100"), node("b").model("H100"), node("c").model("B200"));
        cluster.occupy("x", 8, "a");
        cluster.submit("giant", 9, TestCluster.QUEUE, GangRequest.of(2, 8).withGpuModels(new GpuModel("H100")));
        JobId other = cluster.submit(
                "other", 1, TestCluster.QUEUE, GangRequest.of(1, 8).withGpuModels(new GpuModel("B200")));
        cluster.decide();
        assertThat(cluster.nodesOf(other)).containsExactly("c");
    }

    /** 24: a limit in GPUs counts every model, so naming models does not get around it. */
    @Test
    void scenario24ALimitCountsEveryModel() {
        TestCluster cluster = TestCluster.of(node("a").model("H100"), node("b").model("B200"));
        cluster.quota(quota("/", null), quota("team", 8));
        JobId typed = cluster.submit("typed", GangRequest.of(1, 8).withGpuModels(new GpuModel("H100")));
        JobId other = cluster.submit("other", GangRequest.of(1, 8).withGpuModels(new GpuModel("B200")));
        cluster.decide();
        assertThat(cluster.nodesOf(typed)).hasSize(1);
        assertThat(cluster.nodesOf(other)).isEmpty();
    }

    /** 27: used 12 above a maximum of 10. */
    @Test
    void scenario27UseNeverPassesTheLimit() {
        TestCluster cluster = nodes(8, 2);
        cluster.quota(quota("/", null), quota("team", 10));
        for (int job = 0; job < 8; job++) {
            cluster.submit("job-" + job, GangRequest.of(2, 2));
        }
        cluster.decide();
        assertThat(cluster.copy.quotaUsed(cluster.copy.quotaTree().numberOf(TestCluster.QUEUE)))
                .isEqualTo(8);
    }
}
