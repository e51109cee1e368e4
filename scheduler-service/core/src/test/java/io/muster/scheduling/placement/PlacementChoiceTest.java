package io.muster.scheduling.placement;

import static io.muster.scheduling.fixture.Nodes.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.scheduling.cluster.Member;
import io.muster.scheduling.fixture.Nodes;
import io.muster.scheduling.fixture.TestCluster;
import io.muster.scheduling.gang.DomainType;
import io.muster.scheduling.gang.GangRequest;
import io.muster.scheduling.gang.GpuModel;
import io.muster.scheduling.gang.SpreadLimit;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Among the placements that meet all hard goals, the right one. */
class PlacementChoiceTest {

    private static Placement place(TestCluster cluster, GangRequest request) {
        return GangPlacer.place(cluster.copy, request, cluster.now()).orElseThrow();
    }

    private static List<String> nodes(Placement placement) {
        return placement.members().stream().map(member -> member.node().value()).toList();
    }

    @Test
    void theTightestDomainThatFits() {
        TestCluster cluster = TestCluster.racks(8, 4);
        assertThat(place(cluster, GangRequest.of(1, 8)).reachedLevel()).isEqualTo(DomainType.NODE);
        assertThat(place(cluster, GangRequest.of(4, 8)).reachedLevel()).isEqualTo(DomainType.RACK);
        assertThat(place(cluster, GangRequest.of(5, 8)).reachedLevel()).isEqualTo(DomainType.POWER);
        assertThat(place(cluster, GangRequest.of(9, 8)).reachedLevel()).isEqualTo(DomainType.POD);
        assertThat(place(cluster, GangRequest.of(17, 8)).reachedLevel()).isEqualTo(DomainType.CLUSTER);
        assertThat(place(cluster, GangRequest.of(9, 8)).reachedDomain()).isEqualTo("p0");
    }

    @Test
    void theFullestDomainThatFitsSoThatBigHolesStay() {
        TestCluster cluster = TestCluster.racks(3, 4);
        cluster.occupy("x", 8, "r1-n0");
        cluster.occupy("y", 8, "r2-n0", "r2-n1");
        assertThat(nodes(place(cluster, GangRequest.of(2, 8)))).containsExactly("r2-n2", "r2-n3");
        assertThat(nodes(place(cluster, GangRequest.of(3, 8)))).containsExactly("r1-n1", "r1-n2", "r1-n3");
        assertThat(place(cluster, GangRequest.of(4, 8)).reachedDomain()).isEqualTo("r0");
    }

    @Test
    void aSmallRequestFillsABrokenNodeBeforeItBreaksAWholeOne() {
        TestCluster cluster = TestCluster.racks(2, 2);
        cluster.occupy("x", 8, "r0-n0");
        cluster.occupy("y", 3, "r1-n1");
        assertThat(nodes(place(cluster, GangRequest.of(1, 2)))).containsExactly("r1-n1");
        assertThat(nodes(place(cluster, GangRequest.of(1, 6)))).containsExactly("r0-n1");
    }

    @Test
    void theFullestNodeFirst() {
        TestCluster cluster = TestCluster.racks(1, 4);
        cluster.occupy("x", 2, "r0-n1");
        cluster.occupy("y", 5, "r0-n2");
        cluster.occupy("z", 4, "r0-n3");
        assertThat(nodes(place(cluster, GangRequest.of(1, 1)))).containsExactly("r0-n2");
        assertThat(nodes(place(cluster, GangRequest.of(2, 3)))).containsExactly("r0-n2", "r0-n3");
        assertThat(place(cluster, GangRequest.of(1, 3)).members().getFirst().gpus())
                .containsExactly(5, 6, 7);
    }

    /** Scenario 19, second half: hn1 {1, 2} free, hn2 {3}, hn3 {5}; two members go to 1 + 2. */
    @Test
    void scenario19TwoNodesInOneDomainBeatTwoBiggerHoles() {
        TestCluster cluster = TestCluster.of(
                node("a").in("hn1", "w", "p"),
                node("b").in("hn1", "w", "p"),
                node("c").in("hn2", "w", "p"),
                node("d").in("hn3", "w", "p"));
        cluster.occupy("a", 7, "a");
        cluster.occupy("b", 6, "b");
        cluster.occupy("c", 5, "c");
        cluster.occupy("d", 3, "d");
        assertThat(nodes(place(cluster, GangRequest.of(2, 1)))).containsExactly("a", "b");
    }

    /** Scenario 19: 33 racks of 18 nodes with 4 GPUs; one-GPU jobs leave whole racks. */
    @Test
    void scenario19OneGpuJobsFillOneRackAfterAnother() {
        TestCluster cluster = TestCluster.of(IntStream.range(0, 33 * 18)
                .mapToObj(number -> node("n" + number).gpus(4).in("r" + number / 18, "w" + number / 36, "p"))
                .toArray(Nodes[]::new));
        for (int job = 0; job < 100; job++) {
            cluster.submit("j" + job, GangRequest.of(1, 1));
        }
        cluster.decide();
        long broken = IntStream.range(0, 33)
                .filter(rack ->
                        IntStream.range(rack * 18, rack * 18 + 18).anyMatch(node -> cluster.copy.freeGpus(node) < 4))
                .count();
        assertThat(broken).isEqualTo(2);
    }

    @Test
    void thePreferredModelBeatsABetterPlace() {
        TestCluster cluster = TestCluster.of(
                node("a").model("H100").in("r1", "w1", "p1"),
                node("b").model("H100").in("r2", "w2", "p2"),
                node("c").model("H200").in("r3", "w3", "p3"),
                node("d").model("H200").in("r3", "w3", "p3"));
        GangRequest request = GangRequest.of(2, 8);
        assertThat(nodes(place(cluster, request))).containsExactly("c", "d");
        Placement preferred = place(cluster, request.withGpuModels(new GpuModel("H100"), new GpuModel("H200")));
        assertThat(nodes(preferred)).containsExactly("a", "b");
        assertThat(preferred.model()).isEqualTo(new GpuModel("H100"));
        assertThat(preferred.score().stage()).isZero();
        assertThat(nodes(place(cluster, request.withGpuModels(new GpuModel("B200"), new GpuModel("H200")))))
                .containsExactly("c", "d");
    }

    @Test
    void aGangThatMustSpanLiesInFewRacksAndRanksFollowTheTopology() {
        TestCluster cluster = TestCluster.racks(4, 4);
        cluster.occupy("x", 8, "r0-n0");
        cluster.occupy("y", 8, "r1-n0", "r1-n1", "r1-n2");
        cluster.occupy("z", 8, "r3-n0", "r3-n1");
        Placement placement = place(cluster, GangRequest.of(9, 8));
        assertThat(nodes(placement))
                .containsExactly("r0-n1", "r0-n2", "r0-n3", "r2-n0", "r2-n1", "r2-n2", "r2-n3", "r3-n2", "r3-n3");
        assertThat(placement.members()).extracting(Member::rank).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8);
        assertThat(placement.spread()).contains(new SpreadReached(DomainType.RACK, 3, 4));
        assertThat(placement.spread()).contains(new SpreadReached(DomainType.POD, 1, 9));
    }

    @Test
    void theSpreadReachedIsReported() {
        TestCluster cluster = TestCluster.racks(4, 4);
        Placement placement = place(cluster, GangRequest.of(6, 8).withSpread(new SpreadLimit(DomainType.RACK, 2)));
        assertThat(placement.spread().getFirst()).isEqualTo(new SpreadReached(DomainType.RACK, 3, 2));
        assertThat(placement.reachedLevel()).isEqualTo(DomainType.POD);
    }

    @Test
    void equalsAreDecidedByNumber() {
        TestCluster cluster = TestCluster.racks(4, 2);
        assertThat(nodes(place(cluster, GangRequest.of(2, 8)))).containsExactly("r0-n0", "r0-n1");
        assertThat(nodes(place(cluster, GangRequest.of(1, 8)))).containsExactly("r0-n0");
    }
}
