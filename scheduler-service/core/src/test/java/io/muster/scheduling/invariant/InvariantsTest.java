package io.muster.scheduling.invariant;

import static io.muster.scheduling.fixture.Nodes.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.scheduling.cluster.ClusterRecord.GangPlaced;
import io.muster.scheduling.cluster.ClusterRecord.GangRepaired;
import io.muster.scheduling.cluster.GangAllocation;
import io.muster.scheduling.cluster.HoldEffect;
import io.muster.scheduling.cluster.Member;
import io.muster.scheduling.fixture.Nodes;
import io.muster.scheduling.fixture.TestCluster;
import io.muster.scheduling.gang.DomainType;
import io.muster.scheduling.gang.DriverVersion;
import io.muster.scheduling.gang.GangRequest;
import io.muster.scheduling.gang.GpuModel;
import io.muster.scheduling.gang.JobId;
import io.muster.scheduling.gang.NodeId;
import io.muster.scheduling.gang.PlacementMode;
import io.muster.scheduling.gang.SpreadLimit;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The checker itself: a gang of two on nodes a and b, placed against one rule at a time, is found out each time. */
class InvariantsTest {

    private static final GangRequest PAIR = GangRequest.of(2, 2);

    static Stream<Arguments> brokenRules() {
        Nodes b = node("b");
        return Stream.of(
                Arguments.of(b, GangRequest.of(3, 2), "2 distinct nodes instead of 3"),
                Arguments.of(b, GangRequest.of(2, 4), "2 GPUs on a instead of 4"),
                Arguments.of(b.heldGpus(1), PAIR, "held GPUs of b"),
                Arguments.of(b.effects(HoldEffect.SMALL_ONLY), PAIR, "node b takes no such gang"),
                Arguments.of(b.effects(HoldEffect.DRAIN), PAIR, "node b takes no such gang"),
                Arguments.of(b.alive(false), PAIR, "node b takes no such gang"),
                Arguments.of(b.model("B200"), PAIR, "models ["),
                Arguments.of(b, PAIR.withGpuModels(new GpuModel("B200")), "node a has model H200"),
                Arguments.of(b.driver("535"), PAIR, "drivers ["),
                Arguments.of(b, PAIR.withMinDriver(DriverVersion.of("570")), "node a has driver"),
                Arguments.of(b, PAIR.withAvoidNodes(List.of(new NodeId("b"))), "node b is excluded"),
                Arguments.of(b, PAIR.withFailedNodes(List.of(new NodeId("a"))), "node a is excluded"),
                Arguments.of(
                        b.in("r2", "w1", "p1"),
                        PAIR.within(DomainType.RACK, PlacementMode.REQUIRED),
                        "not within one RACK"),
                Arguments.of(b.in("r2", "w2", "p2", "c2"), PAIR, "not within one CLUSTER"),
                Arguments.of(b, PAIR.withSpread(new SpreadLimit(DomainType.RACK, 1)), "2 nodes in r1"));
    }

    @ParameterizedTest
    @MethodSource("brokenRules")
    void aBrokenRuleIsFound(Nodes b, GangRequest request, String words) {
        TestCluster cluster = TestCluster.of(node("a"), b);
        assertThat(GangInvariants.violations(cluster.copy, request, place(cluster)))
                .anySatisfy(violation -> assertThat(violation).contains(words));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void anExceededLimitIsFound(int root, int team, String words) {
        TestCluster cluster = TestCluster.of(node("a"), node("b"))
                .quota(TestCluster.quota("/", root), TestCluster.quota("team", team));
        assertThat(GangInvariants.violations(cluster.copy, PAIR, place(cluster)))
                .containsExactly(words);
    }

    static Stream<Arguments> limits() {
        return Stream.of(
                Arguments.of(3, 4, "job job: quota node / uses 4 GPUs of 3"),
                Arguments.of(4, 2, "job job: quota node team uses 4 GPUs of 2"));
    }

    @Test
    void aNewGangOnASpareIsFound() {
        TestCluster cluster = TestCluster.of(node("a"), node("b").spare());
        assertThat(GangInvariants.violations(cluster.copy, PAIR, place(cluster)))
                .containsExactly("job job: node b is a spare");
    }

    static Stream<Arguments> brokenRepairs() {
        return Stream.of(
                Arguments.of(2, List.of(member(0, "a", 0b11), member(1, "c", 0b11)), ""),
                Arguments.of(1, List.of(member(0, "a", 0b11), member(1, "c", 0b11)), "generation 1 after 1"),
                Arguments.of(2, List.of(member(0, "a", 0b110), member(1, "c", 0b11)), "healthy member"),
                Arguments.of(2, List.of(member(0, "c", 0b11), member(1, "a", 0b11)), "healthy member"),
                Arguments.of(2, List.of(member(0, "a", 0b11)), "0 replacements for"),
                Arguments.of(2, List.of(member(0, "a", 0b11), member(1, "c", 0b111)), "5 GPUs charged instead of 4"),
                Arguments.of(2, List.of(member(0, "a", 0b11), member(1, "old", 0b11)), "drivers ["),
                Arguments.of(2, List.of(member(0, "a", 0b11), member(1, "b", 0b11)), "node b takes no such gang"));
    }

    @ParameterizedTest
    @MethodSource("brokenRepairs")
    void aBrokenRepairIsFound(int generation, List<Member> members, String words) {
        TestCluster cluster = TestCluster.of(
                node("a"),
                node("b").effects(HoldEffect.EVICT),
                node("c").spare(),
                node("old").driver("535"));
        GangAllocation wounded = new GangAllocation(
                new JobId("job"),
                1,
                TestCluster.QUEUE,
                2,
                List.of(member(0, "a", 0b11)),
                List.of(member(1, "b", 0b11)));
        List<String> violations = GangInvariants.violations(
                cluster.copy, PAIR, wounded, new GangRepaired(new JobId("job"), generation, members));
        if (words.isEmpty()) {
            assertThat(violations).isEmpty();
        } else {
            assertThat(violations).anySatisfy(violation -> assertThat(violation).contains(words));
        }
    }

    private static Member member(int rank, String node, long gpus) {
        return new Member(rank, new NodeId(node), gpus, Instant.EPOCH);
    }

    private static GangPlaced place(TestCluster cluster) {
        GangPlaced placed = new GangPlaced(
                new JobId("job"),
                1,
                TestCluster.QUEUE,
                List.of(
                        new Member(0, new NodeId("a"), 0b11, Instant.EPOCH),
                        new Member(1, new NodeId("b"), 0b11, Instant.EPOCH)));
        cluster.apply(placed);
        return placed;
    }
}
