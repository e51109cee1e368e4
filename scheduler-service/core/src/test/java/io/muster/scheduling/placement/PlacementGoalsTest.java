package io.muster.scheduling.placement;

import static io.muster.scheduling.fixture.Nodes.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.scheduling.cluster.HoldEffect;
import io.muster.scheduling.fixture.Nodes;
import io.muster.scheduling.fixture.TestCluster;
import io.muster.scheduling.gang.DomainType;
import io.muster.scheduling.gang.DriverVersion;
import io.muster.scheduling.gang.GangRequest;
import io.muster.scheduling.gang.GpuModel;
import io.muster.scheduling.gang.NodeId;
import io.muster.scheduling.gang.PlacementMode;
import io.muster.scheduling.gang.SpreadLimit;
import io.muster.scheduling.placement.goal.NodeRefusal;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each hard goal alone: what it lets through, what it refuses, and under which name it is counted. */
class PlacementGoalsTest {

    private static final NodeId N = new NodeId("n");

    static Stream<Arguments> oneNode() {
        GangRequest one = GangRequest.of(1, 4);
        GangRequest two = GangRequest.of(2, 4);
        return Stream.of(
                Arguments.of(node("n"), one, null),
                Arguments.of(node("n").gpus(4), one, null),
                Arguments.of(node("n").gpus(3), one, NodeRefusal.TOO_FEW_GPUS),
                Arguments.of(node("n").heldGpus(0b11110000), one, null),
                Arguments.of(node("n").heldGpus(0b11111000), one, NodeRefusal.NOT_ENOUGH_FREE_GPUS),
                Arguments.of(
                        node("n").model("B200"), one.withGpuModels(new GpuModel("H200")), NodeRefusal.OTHER_GPU_MODEL),
                Arguments.of(
                        node("n").model("B200"), one.withGpuModels(new GpuModel("H200"), new GpuModel("B200")), null),
                Arguments.of(
                        node("n").driver("535.86.05"),
                        one.withMinDriver(DriverVersion.of("535.104.05")),
                        NodeRefusal.DRIVER_TOO_OLD),
                Arguments.of(node("n").driver("535.104.05"), one.withMinDriver(DriverVersion.of("535.86.05")), null),
                Arguments.of(node("n").effects(HoldEffect.NO_NEW_WORK), one, NodeRefusal.HELD),
                Arguments.of(node("n").effects(HoldEffect.DRAIN), one, NodeRefusal.HELD),
                Arguments.of(node("n").effects(HoldEffect.EVICT), one, NodeRefusal.HELD),
                Arguments.of(node("n").effects(HoldEffect.SMALL_ONLY), one, null),
                Arguments.of(node("n").effects(HoldEffect.SMALL_ONLY), two, NodeRefusal.SMALL_GANGS_ONLY),
                Arguments.of(node("n").effects(HoldEffect.SMALL_ONLY, HoldEffect.NO_NEW_WORK), one, NodeRefusal.HELD),
                Arguments.of(node("n").alive(false), one, NodeRefusal.NOT_ALIVE),
                Arguments.of(node("n"), one.withAvoidNodes(List.of(N)), NodeRefusal.AVOIDED_BY_USER),
                Arguments.of(node("n"), one.withFailedNodes(List.of(N)), NodeRefusal.FAILED_FOR_THIS_JOB),
                Arguments.of(node("n").alive(false), one.withAvoidNodes(List.of(N)), NodeRefusal.AVOIDED_BY_USER),
                Arguments.of(node("n").gpus(2), one.withAvoidNodes(List.of(N)), NodeRefusal.TOO_FEW_GPUS),
                Arguments.of(node("n").gpus(0), GangRequest.of(1, 0), null));
    }

    @ParameterizedTest
    @MethodSource("oneNode")
    void aNodeIsRefusedUnderTheFirstGoalItMisses(Nodes node, GangRequest request, NodeRefusal refusal) {
        TestCluster cluster = TestCluster.of(node);
        NodeCensus census = NodeCensus.of(cluster.copy, request);
        assertThat(census.registered()).isEqualTo(1);
        if (refusal == null) {
            assertThat(census.fitting()).isEqualTo(1);
            assertThat(census.counts()).isEmpty();
        } else {
            assertThat(census.fitting()).isZero();
            assertThat(census.counts()).containsExactly(new NodeCensus.Count(refusal, 1, List.of(N)));
        }
        if (request.nodes() == 1) {
            assertThat(GangPlacer.fits(cluster.copy, request, Outlook.NOW)).isEqualTo(refusal == null);
        }
    }

    private static boolean fits(GangRequest request, Nodes... nodes) {
        return GangPlacer.fits(TestCluster.of(nodes).copy, request, Outlook.NOW);
    }

    @Test
    void oneDriverForTheGangUnlessItIsNotAsked() {
        Nodes a = node("a").driver("535.86.05");
        Nodes b = node("b").driver("535.104.05");
        assertThat(fits(GangRequest.of(2, 8), a, b)).isFalse();
        assertThat(fits(GangRequest.of(2, 8).withEqualDriver(false), a, b)).isTrue();
        assertThat(fits(GangRequest.of(2, 8), a, b, node("c").driver("535.86.5")))
                .isTrue();
    }

    @Test
    void oneModelForTheGangAlways() {
        Nodes a = node("a").model("H100");
        Nodes b = node("b").model("H200");
        assertThat(fits(GangRequest.of(2, 8), a, b)).isFalse();
        assertThat(fits(GangRequest.of(2, 8).withGpuModels(new GpuModel("H100"), new GpuModel("H200")), a, b))
                .isFalse();
        assertThat(fits(GangRequest.of(1, 8), a, b)).isTrue();
    }

    @Test
    void aRequiredDomainHoldsTheWholeGangAndAPreferredOneNeedNot() {
        Nodes[] nodes = {
            node("a").in("r1", "w1", "p1"),
            node("b").in("r2", "w1", "p1"),
            node("c").in("r3", "w2", "p1"),
            node("d").in("r4", "w3", "p2")
        };
        for (DomainType level : DomainType.values()) {
            int most = List.of(1, 1, 2, 3, 4).get(level.ordinal());
            for (int size = 1; size <= 4; size++) {
                assertThat(fits(GangRequest.of(size, 8).within(level, PlacementMode.REQUIRED), nodes))
                        .as("%s nodes within %s", size, level)
                        .isEqualTo(size <= most);
                assertThat(fits(GangRequest.of(size, 8).within(level, PlacementMode.PREFERRED), nodes))
                        .isTrue();
            }
        }
    }

    @Test
    void noGangSpansTwoClusters() {
        assertThat(fits(
                        GangRequest.of(2, 8).within(DomainType.POD, PlacementMode.PREFERRED),
                        node("a").in("r1", "w1", "p1", "c1"),
                        node("b").in("r2", "w2", "p2", "c2")))
                .isFalse();
    }

    @Test
    void aSpreadLimitsEachDomain() {
        Nodes[] nodes = {
            node("a").in("r1", "w1", "p1"),
            node("b").in("r1", "w1", "p1"),
            node("c").in("r1", "w1", "p1"),
            node("d").in("r2", "w1", "p1"),
            node("e").in("r2", "w1", "p1")
        };
        assertThat(fits(GangRequest.of(4, 8).withSpread(new SpreadLimit(DomainType.RACK, 2)), nodes))
                .isTrue();
        assertThat(fits(GangRequest.of(5, 8).withSpread(new SpreadLimit(DomainType.RACK, 2)), nodes))
                .isFalse();
        assertThat(fits(GangRequest.of(5, 8).withSpread(new SpreadLimit(DomainType.RACK, 3)), nodes))
                .isTrue();
        assertThat(fits(GangRequest.of(2, 8).withSpread(new SpreadLimit(DomainType.POD, 1)), nodes))
                .isFalse();
        assertThat(fits(GangRequest.of(5, 8).withSpread(new SpreadLimit(DomainType.NODE, 1)), nodes))
                .isTrue();
    }
}
