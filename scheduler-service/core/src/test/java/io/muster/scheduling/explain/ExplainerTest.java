package io.muster.scheduling.explain;

import static io.muster.scheduling.fixture.Nodes.node;
import static io.muster.scheduling.fixture.TestCluster.quota;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.scheduling.cluster.HoldEffect;
import io.muster.scheduling.fixture.TestCluster;
import io.muster.scheduling.gang.DomainType;
import io.muster.scheduling.gang.DriverVersion;
import io.muster.scheduling.gang.GangRequest;
import io.muster.scheduling.gang.GpuModel;
import io.muster.scheduling.gang.JobId;
import io.muster.scheduling.gang.NodeId;
import io.muster.scheduling.gang.PlacementMode;
import io.muster.scheduling.gang.SpreadLimit;
import io.muster.scheduling.placement.LargestGang;
import io.muster.scheduling.placement.NodeCensus;
import io.muster.scheduling.placement.goal.NodeRefusal;
import io.muster.scheduling.quota.QueuePath;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each reason once: main reason, who can do something, the numbers in the sentence, and the way out in the hint. */
class ExplainerTest {

    private static Explanation why(TestCluster cluster, GangRequest gang) {
        return TestCluster.why(cluster.decide(cluster.submit("job", gang)));
    }

    private static void says(Explanation why, PendingReason reason, ReasonCategory category, String... words) {
        assertThat(why.mainReason()).isEqualTo(reason);
        assertThat(why.category()).isEqualTo(category);
        assertThat(why.sentence() + " " + why.hint()).contains(words);
    }

    @Test
    void invalidQueue() {
        TestCluster cluster = TestCluster.racks(1, 2);
        JobId job = cluster.submit("job", 5, new QueuePath("gone"), GangRequest.of(1, 8));
        says(
                TestCluster.why(cluster.decide(job)),
                PendingReason.INVALID_QUEUE,
                ReasonCategory.ASK_ADMIN,
                "Queue gone is not in the quota tree (version 1)",
                "add gone");
    }

    @Test
    void noMatchingGpuType() {
        TestCluster cluster = TestCluster.of(node("a").model("H100"), node("b").model("B200"));
        says(
                why(cluster, GangRequest.of(1, 8).withGpuModels(new GpuModel("A100"))),
                PendingReason.NO_MATCHING_GPU_TYPE,
                ReasonCategory.CHANGE_REQUEST,
                "model [A100]",
                "the cluster has [B200, H100]");
    }

    @Test
    void exceedsClusterInNumber() {
        says(
                why(TestCluster.racks(2, 4), GangRequest.of(9, 8)),
                PendingReason.EXCEEDS_CLUSTER,
                ReasonCategory.CHANGE_REQUEST,
                "needs 9 nodes with 8 GPUs each",
                "only 8 of 8",
                "at most 8 nodes with 8 GPUs each");
    }

    @Test
    void exceedsClusterByDriver() {
        TestCluster cluster = TestCluster.of(node("a").driver("535.86.05"), node("b"));
        says(
                why(cluster, GangRequest.of(2, 8).withMinDriver(DriverVersion.of("550"))),
                PendingReason.EXCEEDS_CLUSTER,
                ReasonCategory.CHANGE_REQUEST,
                "only 1 of 2 registered nodes",
                "1 node has an older driver (a)");
    }

    @Test
    void exceedsClusterByUnequalDrivers() {
        TestCluster cluster = TestCluster.of(node("a").driver("535.86.05"), node("b"), node("c"));
        says(
                why(cluster, GangRequest.of(3, 8)),
                PendingReason.EXCEEDS_CLUSTER,
                ReasonCategory.CHANGE_REQUEST,
                "3 nodes with 8 GPUs each of one GPU model and one driver version",
                "largest such set has 2 nodes");
    }

    @Test
    void exceedsQuotaLimit() {
        TestCluster cluster = TestCluster.racks(1, 4).quota(quota("/", null), quota("team", 16));
        says(
                why(cluster, GangRequest.of(3, 8)),
                PendingReason.EXCEEDS_QUOTA_LIMIT,
                ReasonCategory.CHANGE_REQUEST,
                "needs 24 GPUs; quota node team allows 16",
                "at most 16 GPUs");
    }

    @Test
    void exceedsTopologyDomainWithCounterOffer() {
        TestCluster cluster = TestCluster.racks(4, 3);
        Explanation why = why(cluster, GangRequest.of(4, 8).within(DomainType.RACK, PlacementMode.REQUIRED));
        says(
                why,
                PendingReason.EXCEEDS_TOPOLOGY_DOMAIN,
                ReasonCategory.CHANGE_REQUEST,
                "4 nodes with 8 GPUs each within one rack",
                "3 nodes (rack r0)",
                "within one power domain");
        Explanation spread = why(
                cluster,
                GangRequest.of(5, 8)
                        .within(DomainType.POWER, PlacementMode.REQUIRED)
                        .withSpread(new SpreadLimit(DomainType.RACK, 2)));
        says(
                spread,
                PendingReason.EXCEEDS_TOPOLOGY_DOMAIN,
                ReasonCategory.CHANGE_REQUEST,
                "within one power domain, at most 2 nodes per rack",
                "4 nodes (power domain w0)");
    }

    @Test
    void waitingForGpusWithWhatCouldStartNow() {
        TestCluster cluster = TestCluster.racks(1, 4);
        cluster.occupy("x", 8, "r0-n0", "r0-n1");
        Explanation why = why(cluster, GangRequest.of(3, 8));
        says(
                why,
                PendingReason.WAITING_FOR_GPUS,
                ReasonCategory.WAIT,
                "needs 24 GPUs",
                "16 matching GPUs are free",
                "2 nodes (cluster c1)");
        assertThat(why.nodeTally())
                .containsExactly(new NodeCensus.Count(
                        NodeRefusal.NOT_ENOUGH_FREE_GPUS, 2, List.of(new NodeId("r0-n0"), new NodeId("r0-n1"))));
        assertThat(why.numbers().largestGangNow())
                .containsExactly(
                        new LargestGang(DomainType.NODE, "r0", 1),
                        new LargestGang(DomainType.RACK, "r0", 2),
                        new LargestGang(DomainType.POWER, "w0", 2),
                        new LargestGang(DomainType.POD, "p0", 2),
                        new LargestGang(DomainType.CLUSTER, "c1", 2));
        assertThat(why.numbers().byName())
                .containsEntry("requestedGpus", 24L)
                .containsEntry("freeGpus", 16L)
                .containsEntry("freeNodesThatFit", 2L)
                .containsEntry("largestGangNowRack", 2L)
                .containsEntry("position", 1L)
                .containsEntry("gpusAhead", 0L);
    }

    @Test
    void fragmentedOverDomains() {
        TestCluster cluster = TestCluster.racks(2, 4);
        cluster.occupy("x", 8, "r0-n0", "r1-n0");
        says(
                why(cluster, GangRequest.of(4, 8).within(DomainType.RACK, PlacementMode.REQUIRED)),
                PendingReason.FRAGMENTED,
                ReasonCategory.WAIT,
                "48 matching GPUs are free and 32 are needed",
                "3 of 4 nodes are placeable",
                "Largest gang of this kind within one rack now: 3 nodes (rack r0)");
    }

    @Test
    void waitingForHealthyNodes() {
        TestCluster cluster = TestCluster.of(
                node("a"),
                node("b").effects(HoldEffect.NO_NEW_WORK),
                node("c").alive(false),
                node("d").effects(HoldEffect.DRAIN));
        says(
                why(cluster, GangRequest.of(2, 8)),
                PendingReason.WAITING_FOR_HEALTHY_NODES,
                ReasonCategory.PLATFORM,
                "1 node fits now",
                "2 nodes are held out of service (b, d)",
                "1 node does not report (c)");
    }

    @Test
    void aNodeThatFailedForTheJobIsSaidSo() {
        TestCluster cluster = TestCluster.racks(1, 2);
        says(
                why(cluster, GangRequest.of(2, 8).withFailedNodes(List.of(new NodeId("r0-n1")))),
                PendingReason.WAITING_FOR_HEALTHY_NODES,
                ReasonCategory.PLATFORM,
                "1 node failed for this job before (r0-n1)");
    }

    @Test
    void noNodeIsRegistered() {
        says(
                why(TestCluster.of(), GangRequest.of(2, 8)),
                PendingReason.WAITING_FOR_HEALTHY_NODES,
                ReasonCategory.PLATFORM,
                "No node is registered yet",
                "2 nodes with 8 GPUs each");
    }

    @Test
    void theFirstReasonInOrderIsTheMainOneAndTheOthersAreBlockers() {
        TestCluster cluster = TestCluster.of(node("a"), node("b").effects(HoldEffect.DRAIN), node("c"))
                .quota(quota("/", null), quota("team", 16));
        cluster.occupy("x", 8, "a");
        cluster.submit("ahead", GangRequest.of(2, 8));
        Explanation why = why(cluster, GangRequest.of(2, 8));
        assertThat(why.mainReason()).isEqualTo(PendingReason.WAITING_FOR_QUOTA);
        assertThat(why.blockers())
                .extracting(Blocker::reason)
                .containsExactly(PendingReason.WAITING_FOR_HEALTHY_NODES, PendingReason.BEHIND_HIGHER_PRIORITY);
        assertThat(why.numbers().quota()).isEqualTo(new QuotaNumbers(TestCluster.QUEUE, 8, 16));
        assertThat(why.numbers().byName()).containsEntry("quotaLimitGpus", 16L);
    }

    @Test
    void aQueryOfAnImageSaysWhatTheDecisionSaid() {
        TestCluster cluster = TestCluster.racks(1, 2);
        cluster.occupy("x", 8, "r0-n0");
        JobId job = cluster.submit("job", GangRequest.of(2, 8));
        JobId fits = cluster.submit("fits", GangRequest.of(1, 8));
        var undecided =
                Explainer.explain(cluster.copy.publish(), fits, cluster.now()).orElseThrow();
        assertThat(undecided.mainReason()).isEqualTo(PendingReason.NOT_EVALUATED_YET);
        Explanation decided = TestCluster.why(cluster.decide(job));
        cluster.end(fits);
        var image = cluster.copy.publish();
        assertThat(Explainer.explain(image, job, cluster.now())).contains(decided);
        assertThat(Explainer.explain(image, new JobId("x"), cluster.now())).isEmpty();
    }

    @Test
    void theDocumentedPrecedenceIsTheOrderOfTheReasons() {
        assertThat(Arrays.stream(PendingReason.values()).filter(PendingReason::permanent))
                .containsExactly(
                        PendingReason.INVALID_QUEUE,
                        PendingReason.NO_MATCHING_GPU_TYPE,
                        PendingReason.EXCEEDS_CLUSTER,
                        PendingReason.EXCEEDS_QUOTA_LIMIT,
                        PendingReason.EXCEEDS_TOPOLOGY_DOMAIN);
    }
}
