package io.muster.scheduling.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.scheduling.fixture.TestCluster;
import io.muster.scheduling.gang.GangRequest;
import io.muster.scheduling.gang.JobId;
import io.muster.scheduling.gang.NodeId;
import io.muster.scheduling.invariant.PlacementInvariants;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Books that were falsified behind the records' back are found by the invariants. */
class CorruptionTest {

    private static final NodeId NODE = new NodeId("r0-n0");
    private static final JobId JOB = new JobId("x");

    static Stream<Arguments> corruptions() {
        return Stream.of(
                corruption("used GPUs", tables -> tables.putRow(0, tables.row(0).withUsed(0))),
                corruption("used GPUs", tables -> tables.putRow(1, tables.row(1).withUsed(1))),
                corruption(
                        "so does another",
                        tables -> tables.allocations =
                                tables.allocations.with(new JobId("y"), copy(tables, new JobId("y"), 1))),
                corruption(
                        "holds 1 of 0 members",
                        tables -> tables.allocations = tables.allocations.with(JOB, copy(tables, JOB, 0))),
                corruption("holds generation 1", tables -> tables.generations = tables.generations.without(JOB)),
                corruption("does not know its resident", tables -> tables.residents = tables.residents.without(NODE)),
                corruption("quota node", tables -> tables.quotaUsed[0]++),
                corruption("are to be repaired", tables -> {
                    GangAllocation gang = copy(tables, JOB, 2);
                    Member lost = new Member(1, new NodeId("r0-n1"), 1, Instant.EPOCH);
                    tables.allocations = tables.allocations.with(JOB, gang.wounded(lost));
                    tables.jobs = tables.jobs.with(
                            JOB,
                            new KnownJob(
                                    JOB,
                                    Objects.requireNonNull(tables.jobs.get(new JobId("waits")))
                                            .demand(),
                                    JobWish.KEEPING,
                                    1));
                }),
                corruption("has a rank twice", tables -> {
                    GangAllocation gang = copy(tables, JOB, 2);
                    Member lost = new Member(0, new NodeId("r0-n1"), 1, Instant.EPOCH);
                    tables.allocations = tables.allocations.with(JOB, gang.wounded(lost));
                }),
                corruption("jobs wait", tables -> tables.waiting = OrderedMap.empty()),
                corruption(
                        "free GPUs, its nodes have",
                        tables -> tables.cells[0].summary().add(0, 1, 1, true)),
                corruption(
                        "nodes of class",
                        tables -> tables.domains[2][0].summary().add(0, 0, 1, true)),
                corruption("nodes are registered", tables -> tables.cells[0].removeNode(0)),
                corruption("is out and still has", tables -> {
                    NodeRow row = tables.row(0);
                    tables.putRow(0, NodeRow.NOT_REGISTERED.withUsed(row.used()));
                }));
    }

    private static Arguments corruption(String found, Consumer<Tables> change) {
        return Arguments.of(found, change);
    }

    private static GangAllocation copy(Tables tables, JobId job, int placedNodes) {
        return new GangAllocation(
                job,
                1,
                TestCluster.QUEUE,
                placedNodes,
                Objects.requireNonNull(tables.allocations.get(JOB)).members(),
                List.of());
    }

    @ParameterizedTest
    @MethodSource("corruptions")
    void isFound(String words, Consumer<Tables> change) {
        TestCluster cluster = TestCluster.racks(1, 2);
        cluster.occupy("x", 4, "r0-n0");
        cluster.submit("waits", GangRequest.of(2, 8));
        assertThat(PlacementInvariants.violations(cluster.copy)).isEmpty();
        change.accept(cluster.copy.tables);
        List<String> violations = PlacementInvariants.violations(cluster.copy);
        assertThat(violations).anySatisfy(violation -> assertThat(violation).contains(words));
    }
}
