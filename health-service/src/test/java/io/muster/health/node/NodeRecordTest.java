package io.muster.health.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.node.GpuFacts;
import io.muster.contract.node.NodeFacts;
import io.muster.health.TestNodes;
import io.muster.health.hold.HoldCause;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class NodeRecordTest {

    private static final Instant NOW = TestNodes.NOON;
    private final NodeFacts facts = TestNodes.facts("r1-n1", 2);
    private final NodeRecord node = NodeRecord.joined(facts, NOW).registered(facts, NOW.plusSeconds(60), NOW);

    @Test
    void aNewSessionRisesAndLiftsNoHold() {
        NodeRecord lost = node.leaseExpired(1, "silent", () -> "hold_1", NOW);
        NodeRecord back = lost.registered(facts, NOW, NOW);

        assertThat(lost.sessionEnded()).isTrue();
        assertThat(back.session()).isEqualTo(2);
        assertThat(back.sessionEnded()).isFalse();
        assertThat(back.holds()).isEqualTo(lost.holds());
    }

    @Test
    void anExpiryThatIsWrittenLateEndsOnlyTheSessionThatItWasOf() {
        NodeRecord again = node.registered(facts, NOW, NOW);
        NodeRecord told = again.leaseExpired(1, "silent", () -> "hold_1", NOW);

        assertThat(told.sessionEnded()).isFalse();
        assertThat(told.holds().open()).singleElement().satisfies(open -> {
            assertThat(open.cause()).isEqualTo(HoldCause.LEASE_EXPIRED);
            assertThat(open.hold().session()).isEqualTo(1);
        });
    }

    @Test
    void readingsDoNotMatterToOthersButFactsDo() {
        GpuFacts first = facts.gpus().getFirst();
        GpuFacts warmer = new GpuFacts(
                first.index(),
                first.uuid(),
                first.model(),
                first.memoryBytes(),
                false,
                88,
                700,
                first.firmwareVersion(),
                NOW.plusSeconds(60));
        GpuFacts vetoed = TestNodes.gpu("r1-n1", 0, true, NOW);

        assertThat(with(warmer).matters(node)).isFalse();
        assertThat(with(vetoed).matters(node)).isTrue();
        assertThat(node.registered(facts, NOW, NOW).matters(node)).isTrue();
        assertThat(node.withToken(NOW).matters(node)).isFalse();
    }

    @Test
    void anObservationsAgeIsTakenByTheAgentsOwnClock() {
        // the agent's clock is an hour ahead; it looked ten seconds before it spoke
        Instant agentTime = NOW.plusSeconds(3600);
        NodeFacts told = TestNodes.facts(
                "r1-n1", List.of(TestNodes.gpu("r1-n1", 0, false, agentTime.minusSeconds(10))), "127.0.0.1", 7000);

        assertThat(FactsIntake.inOurTime(told, agentTime, NOW).gpus().getFirst().observedAt())
                .isEqualTo(NOW.minusSeconds(10));
        assertThat(FactsIntake.atRegistration(told, NOW).gpus().getFirst().observedAt())
                .isEqualTo(NOW);
    }

    private NodeRecord with(GpuFacts gpu) {
        return node.withFacts(
                TestNodes.facts("r1-n1", List.of(gpu, facts.gpus().getLast()), facts.agentAddress(), facts.agentPort()),
                NOW);
    }
}
