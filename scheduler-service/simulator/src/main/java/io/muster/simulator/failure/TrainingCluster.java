package io.muster.simulator.failure;

import io.muster.scheduling.cluster.ClusterImage;
import io.muster.scheduling.cluster.ClusterRecord.GangReleased;
import io.muster.scheduling.cluster.ClusterRecord.JobChanged;
import io.muster.scheduling.cluster.ClusterRecord.NodeChanged;
import io.muster.scheduling.cluster.ClusterRecord.QuotaTreeChanged;
import io.muster.scheduling.cluster.Demand;
import io.muster.scheduling.cluster.GangAllocation;
import io.muster.scheduling.cluster.HoldEffect;
import io.muster.scheduling.cluster.JobWish;
import io.muster.scheduling.cluster.Member;
import io.muster.scheduling.cluster.NodeDomains;
import io.muster.scheduling.cluster.WorkingCopy;
import io.muster.scheduling.cycle.Decision;
import io.muster.scheduling.cycle.SchedulingCycle;
import io.muster.scheduling.gang.DriverVersion;
import io.muster.scheduling.gang.GangRequest;
import io.muster.scheduling.gang.GpuCount;
import io.muster.scheduling.gang.GpuModel;
import io.muster.scheduling.gang.JobId;
import io.muster.scheduling.gang.NodeId;
import io.muster.scheduling.invariant.GangInvariants;
import io.muster.scheduling.invariant.PlacementInvariants;
import io.muster.scheduling.quota.QueuePath;
import io.muster.scheduling.quota.QuotaNode;
import io.muster.scheduling.quota.QuotaTree;
import java.time.Instant;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The cluster as the scheduler knows it, decided by the scheduling core itself: the records of nodes and of the job go in,
 * the core's cycle places and repairs. The job's queue has a limit of exactly the job's GPUs, so a repair that charged a
 * GPU twice would be refused. A violation of an invariant is a bug and ends the run: every change is checked by the books
 * kept here, and by the core's own invariants where that is affordable.
 *
 * <p>The marks of spares are moved as an administrator would: a spare that joins the gang gives its mark to the node that
 * it replaces. While the whole gang is queued no node is marked, because spares are for repairs alone.
 */
final class TrainingCluster {

    private static final JobId JOB = new JobId("job");
    private static final QueuePath QUEUE = new QueuePath("pretrain");
    private static final GpuModel MODEL = new GpuModel("H100");
    private static final DriverVersion DRIVER = DriverVersion.parse("550.54").orElseThrow();
    private static final Instant START = Instant.EPOCH;
    /**
     * The core's invariants visit every node once for each domain, and a gang's members once for each member: after every
     * change of a small cluster, else rarely.
     */
    private static final int SMALL = 40;

    private static final int RARELY = 50;

    private final ClusterPlan plan;
    private final NodeId[] ids;
    private final GangRequest request;
    private final WorkingCopy copy = WorkingCopy.of(ClusterImage.EMPTY);
    private final SchedulingCycle cycle = new SchedulingCycle(16);
    private final BitSet out = new BitSet();
    private final BitSet warned = new BitSet();
    private final BitSet spare = new BitSet();
    private final BitSet gang = new BitSet();
    private long changes;

    private TrainingCluster(ClusterPlan plan) {
        this.plan = plan;
        this.request = GangRequest.of(plan.jobNodes(), plan.gpusPerNode());
        this.ids = new NodeId[plan.nodes()];
        for (int node = 0; node < ids.length; node++) {
            ids[node] = new NodeId("n%05d".formatted(node));
            spare.set(node, plan.spareAtFirst(node));
        }
    }

    /** All nodes are fit and the job has been placed. */
    static TrainingCluster started(ClusterPlan plan) {
        TrainingCluster cluster = new TrainingCluster(plan);
        for (int node = 0; node < plan.nodes(); node++) {
            cluster.tell(node);
            if (cluster.copy.nodeNumber(cluster.ids[node]) != node) {
                throw new IllegalStateException("the core does not number nodes in the order in which they appear");
            }
        }
        GpuCount all = GpuCount.of(cluster.request.gpus());
        cluster.copy.apply(new QuotaTreeChanged(new QuotaTree(
                1,
                List.of(
                        new QuotaNode(QueuePath.ROOT, all, null, false, false),
                        new QuotaNode(QUEUE, all, all, false, false)))));
        cluster.tellJob(JobWish.PLACEMENT, false, 0);
        if (!cluster.decide(0)) {
            throw new IllegalStateException("a job of " + plan.jobNodes() + " nodes is not placed on " + plan.nodes());
        }
        return cluster;
    }

    /** The node's loss is known: whatever it held is lost. */
    void evict(int node) {
        out.set(node);
        gang.clear(node);
        tell(node);
    }

    void readmit(int node) {
        out.clear(node);
        tell(node);
    }

    void warn(int node, boolean wanted) {
        warned.set(node, wanted);
        tell(node);
    }

    /**
     * Lets the core decide what it thinks worth deciding.
     *
     * @return the gang is whole
     */
    boolean decide(long now) {
        @Nullable GangAllocation before = allocation().orElse(null);
        for (Decision decision : cycle.decide(copy, START.plusMillis(now))) {
            switch (decision) {
                case Decision.Placed placed -> {
                    require(GangInvariants.violations(copy, request, placed.record()), now);
                    noticed();
                    gang.stream().forEach(node -> mark(node, false));
                    complement(gang).stream().forEach(node -> mark(node, true));
                }
                case Decision.Repaired repaired -> {
                    GangAllocation wounded = Objects.requireNonNull(before);
                    if (fullCheckIsDue()) {
                        require(GangInvariants.violations(copy, request, wounded, repaired.record()), now);
                    }
                    noticed();
                    moveMarks(wounded);
                }
                case Decision.Unrepaired unrepaired -> {}
                case Decision.Waiting waiting -> {}
                case Decision.Impossible impossible ->
                    throw new IllegalStateException("the core calls the job impossible: " + impossible.explanation());
            }
        }
        checked(now);
        return whole();
    }

    /** The gang takes notice of its newest generation and keeps it. */
    private void noticed() {
        tellJob(JobWish.KEEPING, false, copy.lastGeneration(JOB));
        gang.clear();
        for (int node : members()) {
            gang.set(node);
        }
    }

    private void moveMarks(GangAllocation wounded) {
        for (Member lost : wounded.lost()) {
            mark(numberOf(lost.node()), true);
        }
        gang.stream().filter(spare::get).forEach(node -> mark(node, false));
    }

    private BitSet complement(BitSet nodes) {
        BitSet others = new BitSet();
        others.set(0, plan.nodes());
        others.andNot(nodes);
        return others;
    }

    private void mark(int node, boolean wanted) {
        if (spare.get(node) != wanted) {
            spare.set(node, wanted);
            tell(node);
        }
    }

    /** Gives up the repair: what is left of the gang is released, and the job waits for a place ahead of its peers. */
    void queueWhole() {
        int generation = copy.lastGeneration(JOB);
        copy.apply(new GangReleased(JOB, generation));
        gang.clear();
        for (int node = 0; node < plan.nodes(); node++) {
            mark(node, false);
        }
        tellJob(JobWish.PLACEMENT, true, generation);
    }

    /** All members are held, and none is known to be lost. */
    boolean whole() {
        return allocation()
                .filter(held -> held.lost().isEmpty() && held.members().size() == plan.jobNodes())
                .isPresent();
    }

    /** The job has a gang, whole or wounded. */
    boolean placed() {
        return allocation().isPresent();
    }

    /** The job runs on the node, as far as the scheduler knows. */
    boolean inGang(int node) {
        return gang.get(node);
    }

    boolean warned(int node) {
        return warned.get(node);
    }

    /** Nodes of the gang in rank order, without the lost. */
    int[] members() {
        return allocation().stream()
                .flatMap(held -> held.members().stream())
                .mapToInt(member -> numberOf(member.node()))
                .toArray();
    }

    /** Everything that must hold in every state; and the undo log begins anew. */
    void checked(long now) {
        for (int node = 0; node < ids.length; node++) {
            long held = gang.get(node) ? (1L << plan.gpusPerNode()) - 1 : 0;
            if (copy.usedMask(node) != held) {
                require(List.of("node " + ids[node] + " and the job's gang differ on who holds its GPUs"), now);
            }
        }
        if (gang.cardinality() > plan.jobNodes()) {
            require(List.of("a gang of " + gang.cardinality() + " nodes"), now);
        }
        if (fullCheckIsDue()) {
            require(PlacementInvariants.violations(copy), now);
        }
        changes++;
        copy.publish();
    }

    private boolean fullCheckIsDue() {
        return plan.nodes() <= SMALL || changes % RARELY == 0;
    }

    private static void require(List<String> violations, long now) {
        if (!violations.isEmpty()) {
            throw new IllegalStateException("at " + now + " ms: " + String.join("; ", violations));
        }
    }

    private Optional<GangAllocation> allocation() {
        return copy.allocation(JOB);
    }

    private int numberOf(NodeId id) {
        return Integer.parseInt(id.value(), 1, id.value().length(), 10);
    }

    private void tell(int node) {
        String rack = "r%05d".formatted(plan.rackOf(node));
        String leaf = "leaf%05d".formatted(plan.leafOf(node));
        Set<HoldEffect> effects = EnumSet.noneOf(HoldEffect.class);
        if (out.get(node)) {
            effects.add(HoldEffect.EVICT);
        }
        if (warned.get(node)) {
            effects.add(HoldEffect.NO_NEW_WORK);
        }
        copy.apply(new NodeChanged(
                ids[node],
                MODEL,
                DRIVER,
                plan.gpusPerNode(),
                0,
                new NodeDomains(rack, "power-" + rack, leaf, "cluster"),
                effects,
                !out.get(node),
                spare.get(node)));
    }

    private void tellJob(JobWish wish, boolean requeued, int seenGeneration) {
        copy.apply(new JobChanged(JOB, new Demand(QUEUE, 5, requeued, 0, request), wish, seenGeneration));
    }
}
