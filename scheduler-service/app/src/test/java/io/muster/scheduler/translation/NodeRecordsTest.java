package io.muster.scheduler.translation;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.GpuFacts;
import io.muster.contract.node.HoldEffect;
import io.muster.contract.node.HoldScope;
import io.muster.contract.node.NodeCondition;
import io.muster.contract.node.NodeState;
import io.muster.scheduler.Given;
import io.muster.scheduling.cluster.ClusterRecord.NodeChanged;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class NodeRecordsTest {

    private static final NodeId NODE = Given.node(1, 2);
    private static final NodeState HEALTHY = Given.healthy(NODE, "rack-1");

    @Test
    void aHealthyNodeOffersEverything() {
        NodeChanged record = NodeRecords.of(HEALTHY);

        assertThat(record.node().value()).isEqualTo("r1-n2");
        assertThat(record.model().value()).isEqualTo("H200");
        assertThat(record.driver()).hasToString("550.90.07");
        assertThat(record.gpus()).isEqualTo(8);
        assertThat(record.heldGpus()).isZero();
        assertThat(record.domains().rack()).isEqualTo("rack-1");
        assertThat(record.effects()).isEmpty();
        assertThat(record.alive()).isTrue();
        assertThat(record.spare()).isFalse();
        assertThat(NodeRecords.of(Given.spare(HEALTHY)).spare()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(HoldEffect.class)
    void aHoldOnTheNodeOrItsDomainForbidsAsItsEffectSays(HoldEffect effect) {
        for (HoldScope scope : List.of(HoldScope.NODE, HoldScope.DOMAIN)) {
            NodeState held = Given.with(HEALTHY, Given.hold(scope, "rack-1", effect, "CHECK_FAILED"));

            assertThat(NodeRecords.of(held).effects()).extracting(Enum::name).containsExactly(effect.name());
            assertThat(NodeRecords.of(held).alive()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(HoldEffect.class)
    void aHoldOnAGpuMasksThatGpuAlone(HoldEffect effect) {
        NodeState held = Given.with(
                HEALTHY,
                Given.hold(HoldScope.GPU, "r1-n2/3", effect, "CHECK_FAILED"),
                Given.hold(HoldScope.GPU, "r1-n9/5", effect, "CHECK_FAILED"));

        assertThat(NodeRecords.of(held).effects()).isEmpty();
        assertThat(NodeRecords.of(held).heldGpus()).isEqualTo(0b1000);
    }

    @Test
    void aVetoedGpuAnotherModelAndAGapAreNeverPlaced() {
        List<GpuFacts> gpus = List.of(
                Given.gpu(4, "A100", false),
                Given.gpu(0, "H200", false),
                Given.gpu(1, "H200", true),
                Given.gpu(3, "H200", false));
        NodeChanged record = NodeRecords.of(withGpus(gpus));

        assertThat(record.model().value()).isEqualTo("H200");
        assertThat(record.gpus()).isEqualTo(5);
        assertThat(record.heldGpus()).isEqualTo(0b10110);
    }

    @Test
    void aNodeOfSixtyFourGpusOrNoneIsAsGoodAsAnother() {
        assertThat(NodeRecords.of(withGpus(Given.gpus("H200", 64))).heldGpus()).isZero();
        assertThat(NodeRecords.of(withGpus(List.of())).gpus()).isZero();
        assertThat(NodeRecords.of(withGpus(List.of(Given.gpu(0, " ", false))))
                        .model()
                        .value())
                .isEqualTo("unknown");
    }

    @Test
    void aNodeWhoseLeaseRanOutIsNotAlive() {
        NodeState lost = Given.with(HEALTHY, Given.hold(HoldScope.NODE, "r1-n2", HoldEffect.EVICT, "LEASE_EXPIRED"));

        assertThat(NodeRecords.of(lost).alive()).isFalse();
    }

    @Test
    void aRetiredNodeTakesNoWorkButFreesNothing() {
        NodeState retired =
                new NodeState(NODE, NodeCondition.RETIRED, 1, HEALTHY.facts(), List.of(), Given.NOON, false);

        assertThat(NodeRecords.of(retired).effects())
                .containsExactly(io.muster.scheduling.cluster.HoldEffect.NO_NEW_WORK);
    }

    private static NodeState withGpus(List<GpuFacts> gpus) {
        return new NodeState(
                NODE, NodeCondition.HEALTHY, 1, Given.facts(NODE, "rack-1", gpus), List.of(), Given.NOON, false);
    }
}
