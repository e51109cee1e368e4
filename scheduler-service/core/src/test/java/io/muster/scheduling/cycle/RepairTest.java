package io.muster.scheduling.cycle;

import static io.muster.scheduling.fixture.Nodes.node;
import static io.muster.scheduling.fixture.TestCluster.quota;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.scheduling.cluster.CapacityTotals;
import io.muster.scheduling.cluster.ClusterImage;
import io.muster.scheduling.cluster.ClusterRecord.GangKnown;
import io.muster.scheduling.cluster.ClusterRecord.GangReleased;
import io.muster.scheduling.cluster.ClusterRecord.GangRepaired;
import io.muster.scheduling.cluster.ClusterRecord.JobChanged;
import io.muster.scheduling.cluster.ClusterRecord.MemberLost;
import io.muster.scheduling.cluster.ClusterRecord.MemberReleased;
import io.muster.scheduling.cluster.GangAllocation;
import io.muster.scheduling.cluster.HoldEffect;
import io.muster.scheduling.cluster.ImageComparison;
import io.muster.scheduling.cluster.JobWish;
import io.muster.scheduling.cluster.Member;
import io.muster.scheduling.cluster.WorkingCopy;
import io.muster.scheduling.explain.Explanation;
import io.muster.scheduling.explain.PendingReason;
import io.muster.scheduling.explain.RepairExplainer;
import io.muster.scheduling.fixture.Nodes;
import io.muster.scheduling.fixture.TestCluster;
import io.muster.scheduling.gang.DomainType;
import io.muster.scheduling.gang.GangRequest;
import io.muster.scheduling.gang.JobId;
import io.muster.scheduling.gang.NodeId;
import io.muster.scheduling.gang.PlacementMode;
import io.muster.scheduling.gang.SpreadLimit;
import io.muster.scheduling.placement.goal.NodeRefusal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Racks of nodes with eight GPUs; a gang that runs loses members. */
class RepairTest {

    private static final GangRequest IN_ONE_RACK = GangRequest.of(3, 8).within(DomainType.RACK, PlacementMode.REQUIRED);

    private static Nodes inRack(String node) {
        int rack = Integer.parseInt(node.substring(1, node.indexOf('-')));
        return node(node).in("r" + rack, "w" + rack / 2, "p" + rack / 4);
    }

    private static List<MemberLost> lose(TestCluster cluster, String node) {
        return cluster.apply(inRack(node).effects(HoldEffect.EVICT).record());
    }

    /** A gang that runs. */
    private static JobId running(TestCluster cluster, GangRequest gang) {
        JobId job = cluster.submit("gang", gang);
        cluster.decide();
        assertThat(cluster.nodesOf(job)).hasSize(gang.nodes());
        wish(cluster, job, JobWish.KEEPING);
        return job;
    }

    private static void wish(TestCluster cluster, JobId job, JobWish wish) {
        cluster.apply(new JobChanged(
                job, cluster.copy.job(job).orElseThrow().demand(), wish, cluster.copy.lastGeneration(job)));
    }

    @Test
    void theLostMemberAloneIsReplacedUnderTheSameConstraintsInItsRank() {
        TestCluster cluster = TestCluster.racks(2, 4);
        JobId job = running(cluster, IN_ONE_RACK);
        assertThat(cluster.nodesOf(job)).containsExactly("r0-n0", "r0-n1", "r0-n2");
        assertThat(lose(cluster, "r0-n1")).containsExactly(new MemberLost(job, 1, new NodeId("r0-n1")));
        assertThat(cluster.copy.quotaUsed(0)).as("its place is kept").isEqualTo(24);

        assertThat(cluster.decide()).singleElement().isInstanceOfSatisfying(Decision.Repaired.class, repaired -> {
            assertThat(repaired.generation()).isEqualTo(2);
            assertThat(repaired.plan().reachedLevel()).isEqualTo(DomainType.RACK);
            assertThat(repaired.plan().replacements()).containsExactly(new NodeId("r0-n3"));
        });
        assertThat(cluster.nodesOf(job)).containsExactly("r0-n0", "r0-n3", "r0-n2");
        assertThat(cluster.copy.quotaUsed(0)).isEqualTo(24);

        // the replacement is lost before anybody noticed it: the rack has no other node
        lose(cluster, "r0-n3");
        assertThat(TestCluster.why(cluster.decide(job)).mainReason()).isEqualTo(PendingReason.WAITING_FOR_REPLACEMENT);
        cluster.apply(inRack("r0-n1").record());
        cluster.decide();
        assertThat(cluster.nodesOf(job)).containsExactly("r0-n0", "r0-n1", "r0-n2");
        assertThat(cluster.copy.lastGeneration(job)).isEqualTo(3);
    }

    @Test
    void sparesGoFirstToRepairsAndToNobodyElse() {
        TestCluster cluster = TestCluster.racks(2, 3);
        cluster.apply(inRack("r1-n1").spare().record());
        JobId job = running(cluster, GangRequest.of(3, 8));
        JobId wants = cluster.submit("wants", GangRequest.of(3, 8));
        Explanation why = TestCluster.why(cluster.decide(wants));
        assertThat(why.mainReason()).isEqualTo(PendingReason.WAITING_FOR_GPUS);
        assertThat(why.sentence()).contains("16 matching GPUs are free; 1 node is kept as a spare for repairs (r1-n1)");
        assertThat(why.hint()).contains("gives a spare to new jobs");
        assertThat(why.numbers().byName()).containsEntry("spareNodes", 1L).containsEntry("freeNodesThatFit", 2L);
        CapacityTotals totals = CapacityTotals.of(cluster.copy);
        assertThat(totals.freeGpus()).isEqualTo(16);
        assertThat(totals.spareGpus()).isEqualTo(8);
        assertThat(totals.outOfServiceGpus()).isZero();

        lose(cluster, "r0-n2");
        cluster.decide();
        assertThat(cluster.nodesOf(job)).containsExactly("r0-n0", "r0-n1", "r1-n1");

        // the mark is taken off another one: new jobs may have it
        cluster.apply(inRack("r0-n2").spare().record());
        assertThat(cluster.nodesOf(wants)).isEmpty();
        cluster.apply(inRack("r0-n2").record());
        cluster.decide();
        assertThat(cluster.nodesOf(wants)).hasSize(3);
    }

    @Test
    void aGangThatOnlySparesCouldHoldIsNotCalledImpossible() {
        TestCluster cluster = TestCluster.racks(1, 2);
        cluster.apply(inRack("r0-n1").spare().record());
        JobId job = cluster.submit("both", GangRequest.of(2, 8));
        Decision decision = cluster.decide(job);
        assertThat(decision).isInstanceOf(Decision.Waiting.class);
        assertThat(TestCluster.why(decision).mainReason()).isEqualTo(PendingReason.WAITING_FOR_GPUS);
    }

    @Test
    void repairsAreDecidedBeforePendingJobsOfAnyPriority() {
        TestCluster cluster = TestCluster.racks(1, 4);
        JobId job = running(cluster, IN_ONE_RACK);
        cluster.occupy("x", 8, "r0-n3");
        lose(cluster, "r0-n0");
        cluster.submit("urgent", 9, TestCluster.QUEUE, GangRequest.of(1, 8));
        assertThat(cluster.decide()).extracting(Decision::job).containsExactly(job, new JobId("urgent"));
        cluster.apply(new GangReleased(new JobId("x"), 1));
        cluster.decide();
        assertThat(cluster.nodesOf(job)).containsExactly("r0-n3", "r0-n1", "r0-n2");
        assertThat(cluster.nodesOf(new JobId("urgent"))).isEmpty();
    }

    @Test
    void theTightestDomainTheNearestAndTheFullestNodeAreTaken() {
        TestCluster cluster = TestCluster.racks(4, 3);
        GangRequest pairs = GangRequest.of(4, 4).withSpread(new SpreadLimit(DomainType.RACK, 2));
        JobId job = running(cluster, pairs);
        assertThat(cluster.nodesOf(job)).containsExactly("r0-n0", "r0-n1", "r1-n0", "r1-n1");
        // r0 and r1 share a power domain; the rack of the lost one has room under the spread, r0 has not
        lose(cluster, "r1-n1");
        cluster.occupy("x", 4, "r3-n0");
        cluster.decide();
        assertThat(cluster.nodesOf(job)).containsExactly("r0-n0", "r0-n1", "r1-n0", "r1-n2");
        lose(cluster, "r1-n2");
        cluster.decide();
        assertThat(cluster.nodesOf(job)).as("no whole node is broken").endsWith("r3-n0");
    }

    @Test
    void allOrNoneOfTheLostAreReplaced() {
        TestCluster cluster = TestCluster.racks(1, 5);
        JobId job = running(cluster, GangRequest.of(4, 8));
        lose(cluster, "r0-n0");
        lose(cluster, "r0-n2");
        Explanation why = TestCluster.why(cluster.decide(job));
        assertThat(cluster.nodesOf(job)).containsExactly("r0-n1", "r0-n3");
        assertThat(why.mainReason()).isEqualTo(PendingReason.WAITING_FOR_REPLACEMENT);
        assertThat(why.sentence())
                .isEqualTo("The gang of 4 nodes with 8 GPUs each lost 2 nodes (r0-n0, r0-n2) and keeps 2; 1 of 2 can be"
                        + " replaced now. Of 5 registered nodes 1 fits (0 of 0 spares); 2 nodes are held out of service"
                        + " (r0-n0, r0-n2).");
        assertThat(why.hint()).contains("PUT /api/v1/nodes/{node}/spare", "lifting their cordons: 2 nodes are held");
        assertThat(why.numbers().byName())
                .containsEntry("lostNodes", 2L)
                .containsEntry("healthyNodes", 2L)
                .containsEntry("replaceableNodes", 1L)
                .containsEntry("fittingSpareNodes", 0L);
        assertThat(why.blockers())
                .extracting(blocker -> blocker.reason())
                .containsExactly(PendingReason.WAITING_FOR_HEALTHY_NODES);
        assertThat(RepairExplainer.explain(cluster.copy, job, cluster.now()).map(Explanation::sentence))
                .contains(why.sentence());
        cluster.apply(inRack("r0-n7").record());
        cluster.decide();
        assertThat(cluster.nodesOf(job)).containsExactly("r0-n4", "r0-n1", "r0-n7", "r0-n3");
        assertThat(RepairExplainer.explain(cluster.copy, job, cluster.now())).isEmpty();
    }

    @Test
    void everyReasonAgainstAReplacementIsCounted() {
        TestCluster cluster = TestCluster.racks(1, 2);
        JobId job = running(cluster, GangRequest.of(2, 8).within(DomainType.POD, PlacementMode.REQUIRED));
        cluster.apply(node("driver").in("r0", "w0", "p0").driver("535").record());
        cluster.apply(node("model").in("r0", "w0", "p0").model("B200").record());
        cluster.apply(node("far").in("r9", "w9", "p9").record());
        cluster.apply(node("small")
                .in("r0", "w0", "p0")
                .effects(HoldEffect.SMALL_ONLY)
                .record());
        cluster.apply(node("busy").in("r0", "w0", "p0").record());
        cluster.occupy("x", 1, "busy");
        lose(cluster, "r0-n1");
        Explanation why = TestCluster.why(cluster.decide(job));
        assertThat(why.nodeTally())
                .extracting(count -> count.reason())
                .containsExactly(
                        NodeRefusal.UNLIKE_THE_GANG,
                        NodeRefusal.APART_FROM_THE_GANG,
                        NodeRefusal.HELD,
                        NodeRefusal.SMALL_GANGS_ONLY,
                        NodeRefusal.NOT_ENOUGH_FREE_GPUS);
    }

    @Test
    void thePlaceInTheQuotaIsKeptForTheRepairAndForNothingElse() {
        TestCluster cluster = TestCluster.racks(1, 4);
        cluster.quota(quota("/", null), quota("team", 16));
        JobId job = running(cluster, GangRequest.of(2, 8));
        JobId other = cluster.submit("other", GangRequest.of(1, 8));
        cluster.apply(inRack("r0-n2").effects(HoldEffect.NO_NEW_WORK).record());
        cluster.apply(inRack("r0-n3").effects(HoldEffect.NO_NEW_WORK).record());
        lose(cluster, "r0-n0");
        cluster.decide();
        cluster.apply(inRack("r0-n0").record());
        wish(cluster, job, JobWish.NOTHING);
        assertThat(TestCluster.why(cluster.decide(other)).mainReason()).isEqualTo(PendingReason.WAITING_FOR_QUOTA);
        wish(cluster, job, JobWish.KEEPING);
        cluster.decide();
        assertThat(cluster.nodesOf(job)).containsExactly("r0-n0", "r0-n1");
        assertThat(cluster.nodesOf(other)).isEmpty();
        assertThat(cluster.copy.quotaUsed(0)).isEqualTo(16);

        lose(cluster, "r0-n1");
        cluster.quota(quota("/", null), quota("team", 8));
        assertThat(cluster.copy.quotaUsed(0))
                .as("a new tree charges the kept place too")
                .isEqualTo(16);
        cluster.apply(inRack("r0-n3").record());
        cluster.decide();
        assertThat(cluster.nodesOf(job)).as("above a lowered limit too").containsExactly("r0-n0", "r0-n3");
    }

    @Test
    void aGangOfWhichAMemberWasGivenBackIsOnItsWayOut() {
        TestCluster cluster = TestCluster.racks(1, 5);
        JobId job = running(cluster, IN_ONE_RACK);
        lose(cluster, "r0-n0");
        cluster.apply(new MemberReleased(job, 1, new NodeId("r0-n0")));
        assertThat(cluster.copy.repairable().size())
                .as("a lost one is not given back")
                .isEqualTo(1);
        cluster.apply(new MemberReleased(job, 1, new NodeId("r0-n1")));
        assertThat(cluster.copy.quotaUsed(0)).as("the claim ends").isEqualTo(8);
        assertThat(cluster.decide()).isEmpty();
        cluster.apply(new MemberReleased(job, 1, new NodeId("r0-n2")));
        assertThat(cluster.copy.allocation(job)).isEmpty();
    }

    @Test
    void aJobThatDoesNotWantItIsNotRepairedAndOneThatWantsItAgainIs() {
        TestCluster cluster = TestCluster.racks(1, 5);
        JobId job = running(cluster, IN_ONE_RACK);
        wish(cluster, job, JobWish.NOTHING);
        lose(cluster, "r0-n0");
        assertThat(cluster.decide()).isEmpty();
        wish(cluster, job, JobWish.KEEPING);
        assertThat(cluster.decide()).hasSize(1);
        assertThat(cluster.nodesOf(job)).hasSize(3);
    }

    @Test
    void whenAllAreLostTheAllocationEndsAndItsPlaceWithIt() {
        TestCluster cluster = TestCluster.racks(1, 4);
        JobId job = running(cluster, GangRequest.of(2, 8));
        lose(cluster, "r0-n0");
        lose(cluster, "r0-n1");
        assertThat(cluster.copy.allocation(job)).isEmpty();
        assertThat(cluster.copy.quotaUsed(0)).isZero();
        assertThat(cluster.decide()).as("job-service judges first").isEmpty();
        wish(cluster, job, JobWish.PLACEMENT);
        cluster.decide();
        assertThat(cluster.nodesOf(job)).containsExactly("r0-n2", "r0-n3");
        assertThat(cluster.copy.lastGeneration(job)).isEqualTo(2);
    }

    @Test
    void oneGpuTakenOutOfAMemberFreesNothingAndWoundsNobody() {
        TestCluster cluster = TestCluster.racks(1, 4);
        JobId job = running(cluster, GangRequest.of(2, 8));
        assertThat(cluster.apply(inRack("r0-n0").heldGpus(0b100).record())).isEmpty();
        assertThat(cluster.copy.repairable().size()).isZero();
        assertThat(cluster.nodesOf(job)).hasSize(2);
        lose(cluster, "r0-n1");
        cluster.decide();
        assertThat(cluster.nodesOf(job)).as("it stays as it is").containsExactly("r0-n0", "r0-n2");
    }

    @Test
    void aRestartKnowsTheWoundsAndDecidesTheSame() {
        TestCluster cluster = TestCluster.racks(1, 5);
        JobId job = running(cluster, IN_ONE_RACK);
        lose(cluster, "r0-n1");
        lose(cluster, "r0-n2");
        GangAllocation wounded = cluster.copy.allocation(job).orElseThrow();
        ClusterImage image = cluster.copy.publish();

        TestCluster again = TestCluster.racks(1, 5);
        lose(again, "r0-n1");
        lose(again, "r0-n2");
        assertThat(again.apply(new GangKnown(wounded))).isEmpty();
        again.submit("gang", IN_ONE_RACK);
        wish(again, job, JobWish.KEEPING);
        assertThat(again.copy.quotaUsed(0)).isEqualTo(24);
        assertThat(again.decide()).hasSize(1);
        cluster.decide();
        assertThat(again.nodesOf(job)).isEqualTo(cluster.nodesOf(job)).containsExactly("r0-n0", "r0-n3", "r0-n4");

        // what was evicted while nobody decided is lost when it is loaded
        TestCluster late = TestCluster.racks(1, 5);
        lose(late, "r0-n0");
        assertThat(late.apply(new GangKnown(wounded))).containsExactly(new MemberLost(job, 1, new NodeId("r0-n0")));
        assertThat(late.copy.allocation(job)).isEmpty();
        assertThat(image.repairable().size()).isEqualTo(1);
    }

    @Test
    void aLossToldTwiceOrOfAnotherGenerationMeansNothing() {
        TestCluster cluster = TestCluster.racks(1, 4);
        JobId job = running(cluster, IN_ONE_RACK);
        lose(cluster, "r0-n1");
        ClusterImage before = cluster.copy.publish();
        assertThat(lose(cluster, "r0-n1")).isEmpty();
        cluster.apply(new MemberLost(job, 1, new NodeId("r0-n1")));
        cluster.apply(new MemberLost(job, 2, new NodeId("r0-n0")));
        assertThat(ImageComparison.differences(before, cluster.copy)).isEmpty();
    }

    @Test
    void aRepairThatTouchesAHealthyMemberOrTakesWhatIsHeldIsRefusedWhole() {
        TestCluster cluster = TestCluster.racks(1, 4);
        JobId job = running(cluster, GangRequest.of(2, 8));
        cluster.occupy("x", 1, "r0-n2");
        Member rank0 = new Member(0, new NodeId("r0-n0"), 0xff, Instant.EPOCH);
        Member taken = new Member(1, new NodeId("r0-n2"), 0xff, Instant.EPOCH);
        Member free = new Member(1, new NodeId("r0-n3"), 0xff, Instant.EPOCH);
        refused(cluster, new GangRepaired(job, 2, List.of(rank0, free)), "cannot be repaired");
        lose(cluster, "r0-n1");
        refused(cluster, new GangRepaired(job, 2, List.of(rank0, taken)), "cannot have GPUs");
        refused(cluster, new GangRepaired(job, 1, List.of(rank0, free)), "holds or held generation 1");
        refused(cluster, new GangRepaired(job, 2, List.of(rank0)), "cannot be repaired");
        refused(
                cluster,
                new GangRepaired(job, 2, List.of(new Member(0, new NodeId("r0-n0"), 0x7f, Instant.EPOCH), free)),
                "cannot be repaired");
        refused(
                cluster,
                new GangRepaired(job, 2, List.of(new Member(0, new NodeId("r0-n3"), 0xff, Instant.EPOCH), rank0)),
                "cannot be repaired");
        cluster.apply(new GangRepaired(job, 2, List.of(rank0, free)));
        assertThat(cluster.nodesOf(job)).containsExactly("r0-n0", "r0-n3");
    }

    private static void refused(TestCluster cluster, GangRepaired repaired, String words) {
        ClusterImage before = cluster.copy.publish();
        assertThatThrownBy(() -> cluster.copy.apply(repaired))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(words);
        assertThat(ImageComparison.differences(before, cluster.copy)).isEmpty();
    }

    @Test
    void aCycleStopsAtItsLimitAlsoAmongRepairsAndTheNextGoesOn() {
        TestCluster cluster = TestCluster.racks(2, 4);
        List<JobId> gangs = new ArrayList<>();
        for (int number = 0; number < 2; number++) {
            gangs.add(cluster.submit("gang-" + number, GangRequest.of(2, 8)));
        }
        cluster.decide();
        gangs.forEach(gang -> wish(cluster, gang, JobWish.KEEPING));
        gangs.forEach(gang -> lose(cluster, cluster.nodesOf(gang).getFirst()));
        cluster.submit("pending", GangRequest.of(1, 8));
        WorkingCopy copy = cluster.copy;
        SchedulingCycle one = new SchedulingCycle(1);
        for (JobId gang : gangs) {
            assertThat(one.decide(copy, cluster.now()))
                    .extracting(Decision::job)
                    .containsExactly(gang);
        }
        assertThat(one.decide(copy, cluster.now())).extracting(Decision::job).containsExactly(new JobId("pending"));
    }
}
