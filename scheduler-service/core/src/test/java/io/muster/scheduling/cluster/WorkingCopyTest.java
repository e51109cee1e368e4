package io.muster.scheduling.cluster;

import static io.muster.scheduling.fixture.Nodes.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.scheduling.cluster.ClusterRecord.GangPlaced;
import io.muster.scheduling.cluster.ClusterRecord.GangReleased;
import io.muster.scheduling.cluster.ClusterRecord.GenerationKnown;
import io.muster.scheduling.cluster.ClusterRecord.JobChanged;
import io.muster.scheduling.cluster.ClusterRecord.MemberLost;
import io.muster.scheduling.cluster.ClusterRecord.MemberReleased;
import io.muster.scheduling.cluster.ClusterRecord.NodeRemoved;
import io.muster.scheduling.fixture.TestCluster;
import io.muster.scheduling.gang.DomainType;
import io.muster.scheduling.gang.GangRequest;
import io.muster.scheduling.gang.JobId;
import io.muster.scheduling.gang.NodeId;
import io.muster.scheduling.invariant.PlacementInvariants;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkingCopyTest {

    private static final JobId JOB = new JobId("job");
    private static final Instant SINCE = Instant.EPOCH;

    private static GangPlaced placed(int generation, String node, long mask) {
        return new GangPlaced(
                JOB, generation, TestCluster.QUEUE, List.of(new Member(0, new NodeId(node), mask, SINCE)));
    }

    private static JobChanged wants(int seenGeneration) {
        return new JobChanged(
                JOB,
                new Demand(TestCluster.QUEUE, 5, false, 0, GangRequest.of(1, 2)),
                JobWish.PLACEMENT,
                seenGeneration);
    }

    @Test
    void aMemberOfAnotherGenerationIsNotFreed() {
        TestCluster cluster = TestCluster.of(node("a"));
        cluster.apply(placed(2, "a", 0b11));
        cluster.apply(new MemberReleased(JOB, 1, new NodeId("a")));
        cluster.apply(new GangReleased(JOB, 3));
        assertThat(cluster.copy.freeGpus(0)).isEqualTo(6);
        cluster.apply(new MemberReleased(JOB, 2, new NodeId("a")));
        assertThat(cluster.copy.freeGpus(0)).isEqualTo(8);
        assertThat(cluster.copy.allocation(JOB)).isEmpty();
    }

    @Test
    void anEvictedOrRemovedNodeLosesItsMembersAndSaysSo() {
        TestCluster cluster = TestCluster.of(node("a"), node("b"));
        cluster.apply(new GangPlaced(
                JOB,
                1,
                TestCluster.QUEUE,
                List.of(new Member(0, new NodeId("a"), 1, SINCE), new Member(1, new NodeId("b"), 1, SINCE))));
        assertThat(cluster.apply(node("a").effects(HoldEffect.DRAIN).record())).isEmpty();
        assertThat(cluster.apply(node("a").effects(HoldEffect.EVICT).record()))
                .containsExactly(new MemberLost(JOB, 1, new NodeId("a")));
        assertThat(cluster.nodesOf(JOB)).containsExactly("b");
        assertThat(cluster.copy.allocation(JOB).orElseThrow().lost())
                .containsExactly(new Member(0, new NodeId("a"), 1, SINCE));
        assertThat(cluster.copy.quotaUsed(0)).as("the lost place is kept").isEqualTo(2);
        assertThat(cluster.apply(new NodeRemoved(new NodeId("b"))))
                .containsExactly(new MemberLost(JOB, 1, new NodeId("b")));
        assertThat(cluster.copy.allocation(JOB)).isEmpty();
        assertThat(cluster.copy.quotaUsed(0)).isZero();
    }

    @Test
    void aGangPlacedOnANodeThatIsOutLosesThatMemberAtOnce() {
        TestCluster cluster = TestCluster.of(node("a").effects(HoldEffect.EVICT));
        assertThat(cluster.apply(placed(4, "a", 1))).containsExactly(new MemberLost(JOB, 4, new NodeId("a")));
        assertThat(cluster.copy.allocation(JOB)).isEmpty();
        assertThat(cluster.copy.lastGeneration(JOB)).isEqualTo(4);
    }

    @Test
    void aGpuIsNeverGivenTwiceAndTheRefusedRecordChangesNothing() {
        TestCluster cluster = TestCluster.of(node("a"), node("b"));
        cluster.occupy("other", 2, "a");
        ClusterImage before = cluster.copy.publish();
        assertThatThrownBy(() -> cluster.copy.apply(new GangPlaced(
                        JOB,
                        1,
                        TestCluster.QUEUE,
                        List.of(
                                new Member(0, new NodeId("b"), 1, SINCE),
                                new Member(1, new NodeId("a"), 0b110, SINCE)))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("GPUs [1, 2] of node a")
                .hasMessageContaining("other");
        assertThat(ImageComparison.differences(before, cluster.copy)).isEmpty();
    }

    @Test
    void generationsOnlyRise() {
        TestCluster cluster = TestCluster.of(node("a"));
        cluster.apply(placed(3, "a", 1));
        assertThatThrownBy(() -> cluster.copy.apply(placed(4, "a", 2))).isInstanceOf(IllegalStateException.class);
        cluster.apply(new GangReleased(JOB, 3));
        assertThatThrownBy(() -> cluster.copy.apply(placed(3, "a", 1))).isInstanceOf(IllegalStateException.class);
        assertThat(cluster.copy.lastGeneration(JOB)).isEqualTo(3);
        cluster.apply(new GenerationKnown(JOB, 7));
        cluster.apply(new GenerationKnown(JOB, 5));
        assertThat(cluster.copy.lastGeneration(JOB)).isEqualTo(7);
    }

    @Test
    void aJobThatHasNotNoticedItsNewestPlacementDoesNotWait() {
        TestCluster cluster = TestCluster.of(node("a"));
        cluster.apply(wants(0));
        assertThat(cluster.copy.placeInLine(JOB)).isPresent();
        cluster.apply(placed(1, "a", 0b11));
        assertThat(cluster.copy.placeInLine(JOB)).isEmpty();
        cluster.apply(node("a").effects(HoldEffect.EVICT).record());
        assertThat(cluster.copy.placeInLine(JOB)).isEmpty();
        cluster.apply(wants(1));
        assertThat(cluster.copy.placeInLine(JOB)).isPresent();
    }

    @Test
    void anEndedJobIsForgottenWhenItHoldsNothing() {
        TestCluster cluster = TestCluster.of(node("a"));
        cluster.apply(wants(0));
        cluster.apply(placed(1, "a", 1));
        cluster.apply(new JobChanged(
                JOB, new Demand(TestCluster.QUEUE, 5, false, 0, GangRequest.of(1, 2)), JobWish.ENDED, 1));
        assertThat(cluster.copy.job(JOB)).isPresent();
        cluster.apply(new MemberReleased(JOB, 1, new NodeId("a")));
        assertThat(cluster.copy.job(JOB)).isEmpty();
        assertThat(cluster.copy.lastGeneration(JOB)).isZero();
    }

    @Test
    void aNodeThatMovesTakesItsWorkAlong() {
        TestCluster cluster = TestCluster.of(node("a"), node("b").in("r2", "w1", "p1"));
        cluster.occupy("other", 3, "a");
        cluster.apply(node("a").in("r2", "w1", "p1").record());
        assertThat(cluster.copy.domainName(DomainType.RACK, 0)).isEqualTo("r2");
        assertThat(cluster.copy.freeGpus(0)).isEqualTo(5);
        cluster.apply(new NodeRemoved(new NodeId("a")));
        cluster.apply(node("a").record());
        assertThat(cluster.copy.nodeNumber(new NodeId("a"))).isZero();
        assertThat(cluster.copy.freeGpus(0)).isEqualTo(8);
    }

    @Test
    void anImageKeepsWhatItWasWhateverFollows() {
        TestCluster cluster = TestCluster.of(node("a"), node("b"));
        cluster.occupy("other", 4, "a");
        cluster.copy.advance("nodes", 17);
        ClusterImage image = cluster.copy.publish();
        ClusterImage kept = ClusterImage.EMPTY.replay(List.of());
        assertThat(kept.nodeCount()).isZero();
        List<String> differences = ImageComparison.differences(image, cluster.copy);
        assertThat(differences).isEmpty();

        cluster.apply(node("c").in("r9", "w9", "p9").model("B200").record());
        cluster.apply(new GangReleased(new JobId("other"), 1));
        cluster.apply(wants(0));
        cluster.copy.publish();

        assertThat(image.nodeCount()).isEqualTo(2);
        assertThat(image.nodeNumber(new NodeId("c"))).isEqualTo(ClusterView.ABSENT);
        assertThat(image.freeGpus(0)).isEqualTo(4);
        assertThat(image.placeInLine(JOB)).isEmpty();
        assertThat(image.provenance().sequences()).containsEntry("nodes", 17L);
        assertThat(PlacementInvariants.violations(image)).isEmpty();
    }
}
