package io.muster.scheduling.cluster;

import io.muster.scheduling.cluster.ClusterRecord.GangKnown;
import io.muster.scheduling.cluster.ClusterRecord.GangPlaced;
import io.muster.scheduling.cluster.ClusterRecord.GangReleased;
import io.muster.scheduling.cluster.ClusterRecord.GangRepaired;
import io.muster.scheduling.cluster.ClusterRecord.GenerationKnown;
import io.muster.scheduling.cluster.ClusterRecord.JobChanged;
import io.muster.scheduling.cluster.ClusterRecord.MemberLost;
import io.muster.scheduling.cluster.ClusterRecord.MemberReleased;
import io.muster.scheduling.cluster.ClusterRecord.NodeChanged;
import io.muster.scheduling.cluster.ClusterRecord.NodeRemoved;
import io.muster.scheduling.cluster.ClusterRecord.QuotaTreeChanged;
import io.muster.scheduling.gang.JobId;
import io.muster.scheduling.gang.NodeId;
import io.muster.scheduling.quota.QuotaTree;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The cluster as the one decision thread changes it. Records are applied at once; {@link #publish()} makes the next
 * image of everything applied since the last one, {@link #rollback()} takes it all back after a failed commit. A record
 * that would give a GPU twice or lower a generation is a bug of its writer and throws before anything has changed.
 *
 * <p>Not safe for several threads.
 */
public final class WorkingCopy extends ClusterView {

    private final UndoLog undo = new UndoLog();
    private final Numbering numbering;
    private final TreeSet<JobId> changedJobs = new TreeSet<>();
    private boolean roomAppeared;

    private WorkingCopy(Tables tables) {
        super(tables);
        this.numbering = new Numbering(tables, undo);
    }

    /** A working copy of its own: nothing done to it is seen by the image or by another copy. */
    public static WorkingCopy of(ClusterImage image) {
        Tables tables = image.tables.copy(true);
        tables.epoch++;
        WorkingCopy copy = new WorkingCopy(tables);
        copy.roomAppeared = true;
        return copy;
    }

    /**
     * Applies a record.
     *
     * @return the members that were lost by it because their node is gone or under an EVICT effect; they are already
     *     applied, and applying them again changes nothing
     */
    public List<MemberLost> apply(ClusterRecord record) {
        return switch (record) {
            case NodeChanged changed -> nodeChanged(changed);
            case NodeRemoved removed -> nodeRemoved(removed.node());
            case JobChanged changed -> jobChanged(changed);
            case GangPlaced placed -> gangPlaced(placed);
            case GangRepaired repaired -> gangRepaired(repaired);
            case GangKnown known -> begin(known.gang(), null);
            case MemberLost lost -> memberLost(lost);
            case MemberReleased released -> memberReleased(released);
            case GangReleased released -> gangReleased(released);
            case GenerationKnown known -> generationKnown(known);
            case QuotaTreeChanged changed -> quotaTreeChanged(changed.tree());
        };
    }

    /** Notes that this source has been taken in up to this sequence. */
    public void advance(String source, long sequence) {
        Provenance before = tables.provenance;
        tables.provenance = before.with(source, sequence);
        undo.add(() -> tables.provenance = before);
    }

    /** A point to return to with {@link #undoTo}. Publishing makes all marks void. */
    public int mark() {
        return undo.mark();
    }

    /** Takes back everything applied since the mark. */
    public void undoTo(int mark) {
        undo.undoTo(mark);
        roomAppeared = true;
    }

    /** Takes back everything applied since the last publication. */
    public void rollback() {
        undoTo(0);
    }

    /** The next image. */
    public ClusterImage publish() {
        tables.provenance = tables.provenance.next();
        ClusterImage image = new ClusterImage(tables.copy(false));
        tables.epoch++;
        undo.forget();
        return image;
    }

    /** What is worth deciding since this was last asked. */
    public Attention takeAttention() {
        Attention attention = roomAppeared ? Attention.ALL : new Attention(false, changedJobs);
        roomAppeared = false;
        changedJobs.clear();
        return attention;
    }

    /** Puts attention back that was taken but not used up. */
    public void returnAttention(Attention attention) {
        roomAppeared |= attention.all();
        changedJobs.addAll(attention.jobs());
    }

    private List<MemberLost> nodeChanged(NodeChanged changed) {
        int node = numbering.node(changed.node());
        int classNumber = numbering.nodeClass(new NodeClass(
                changed.model(),
                changed.driver(),
                changed.gpus(),
                changed.effects(),
                changed.alive(),
                changed.spare()));
        int cell = numbering.cell(changed.domains());
        NodeRow before = tables.row(node);
        NodeRow after =
                new NodeRow(classNumber, cell, NodeRow.firstGpus(changed.gpus()), changed.heldGpus(), before.used());
        if (!after.equals(before)) {
            putRow(node, after);
            roomAppeared = true;
        }
        return nodeClass(classNumber).evicts() ? loseAllOn(changed.node()) : List.of();
    }

    private List<MemberLost> nodeRemoved(NodeId id) {
        int node = nodeNumber(id);
        if (node == ABSENT || !registered(node)) {
            return List.of();
        }
        List<MemberLost> lost = loseAllOn(id);
        putRow(node, NodeRow.NOT_REGISTERED);
        roomAppeared = true;
        return lost;
    }

    private List<MemberLost> loseAllOn(NodeId node) {
        List<MemberLost> lost = new ArrayList<>();
        for (JobId job : residents(node)) {
            GangAllocation allocation = allocation(job).orElseThrow();
            lost.add(new MemberLost(job, allocation.generation(), node));
        }
        lost.forEach(this::memberLost);
        return lost;
    }

    private List<MemberLost> jobChanged(JobChanged changed) {
        KnownJob job = new KnownJob(changed.job(), changed.demand(), changed.wish(), changed.seenGeneration());
        putJob(job.job(), job);
        forgetIfOver(job.job());
        if (waitingEntry(job.job()) != null || repairEntry(job.job()) != null) {
            changedJobs.add(job.job());
        }
        return List.of();
    }

    private List<MemberLost> gangPlaced(GangPlaced placed) {
        GangAllocation gang = new GangAllocation(
                placed.job(),
                placed.generation(),
                placed.queue(),
                placed.members().size(),
                placed.members(),
                List.of());
        return begin(gang, null);
    }

    private List<MemberLost> gangRepaired(GangRepaired repaired) {
        @Nullable GangAllocation before = tables.allocations.get(repaired.job());
        if (before == null || !before.isMadeWholeBy(repaired.members())) {
            throw new IllegalStateException("job " + repaired.job() + " cannot be repaired as generation "
                    + repaired.generation() + " with " + repaired.members() + ": it holds " + before);
        }
        GangAllocation gang = new GangAllocation(
                before.job(),
                repaired.generation(),
                before.queue(),
                before.placedNodes(),
                repaired.members(),
                List.of());
        return begin(gang, before);
    }

    /** Members whose node is out already are lost from the start. Everything is checked before anything changes. */
    private List<MemberLost> begin(GangAllocation whole, @Nullable GangAllocation before) {
        JobId job = whole.job();
        @Nullable Integer last = tables.generations.get(job);
        if (tables.allocations.get(job) != before || (last != null && last >= whole.generation())) {
            throw new IllegalStateException("job " + job + " cannot be placed as generation " + whole.generation()
                    + ": it holds or held generation " + last);
        }
        GangAllocation gang = whole;
        Map<NodeId, Member> own = before == null ? Map.of() : before.membersByNode();
        List<MemberLost> lost = new ArrayList<>();
        for (Member member : whole.members()) {
            if (isOut(member.node())) {
                gang = gang.wounded(member);
                lost.add(new MemberLost(job, whole.generation(), member.node()));
            } else {
                requireFree(job, member, own.get(member.node()));
            }
        }
        putGeneration(job, whole.generation());
        putAllocation(job, gang.members().isEmpty() ? null : gang);
        if (!lost.isEmpty()) {
            changedJobs.add(job);
        }
        return lost;
    }

    private boolean isOut(NodeId id) {
        int node = nodeNumber(id);
        return node == ABSENT
                || !registered(node)
                || nodeClass(classNumber(node)).evicts();
    }

    /** @param before what the job has on the node already */
    private void requireFree(JobId job, Member member, @Nullable Member before) {
        long own = before == null ? 0 : before.gpuMask();
        if ((usedMask(nodeNumber(member.node())) & ~own & member.gpuMask()) != 0) {
            throw new IllegalStateException("job " + job + " cannot have GPUs " + member.gpus() + " of node "
                    + member.node() + ": some are held by " + residents(member.node()));
        }
    }

    private List<MemberLost> memberLost(MemberLost lost) {
        @Nullable GangAllocation allocation = tables.allocations.get(lost.job());
        if (allocation != null && allocation.generation() == lost.generation()) {
            allocation.memberOn(lost.node()).ifPresent(member -> putRest(allocation.wounded(member)));
        }
        return List.of();
    }

    private List<MemberLost> memberReleased(MemberReleased released) {
        @Nullable GangAllocation allocation = tables.allocations.get(released.job());
        if (allocation != null
                && allocation.generation() == released.generation()
                && allocation.memberOn(released.node()).isPresent()) {
            putRest(allocation.without(released.node()));
        }
        return List.of();
    }

    /** After a member went: room has appeared, of the quota at least. */
    private void putRest(GangAllocation rest) {
        putAllocation(rest.job(), rest.members().isEmpty() ? null : rest);
        roomAppeared = true;
        forgetIfOver(rest.job());
    }

    private List<MemberLost> gangReleased(GangReleased released) {
        @Nullable GangAllocation allocation = tables.allocations.get(released.job());
        if (allocation != null && allocation.generation() == released.generation()) {
            putAllocation(released.job(), null);
            roomAppeared = true;
            forgetIfOver(released.job());
        }
        return List.of();
    }

    private List<MemberLost> generationKnown(GenerationKnown known) {
        @Nullable Integer last = tables.generations.get(known.job());
        if (last == null || last < known.generation()) {
            putGeneration(known.job(), known.generation());
        }
        return List.of();
    }

    private List<MemberLost> quotaTreeChanged(QuotaTree tree) {
        QuotaTree treeBefore = tables.quotaTree;
        long[] usedBefore = tables.quotaUsed.clone();
        undo.add(() -> {
            tables.quotaTree = treeBefore;
            tables.quotaUsed = usedBefore;
        });
        tables.quotaTree = tree;
        tables.quotaUsed = new long[tree.size()];
        for (Map.Entry<JobId, GangAllocation> entry : tables.allocations) {
            charge(entry.getValue(), 1);
        }
        roomAppeared = true;
        return List.of();
    }

    private void forgetIfOver(JobId job) {
        @Nullable KnownJob known = tables.jobs.get(job);
        if (known != null && known.wish() == JobWish.ENDED && tables.allocations.get(job) == null) {
            putJob(job, null);
            putGeneration(job, null);
        }
    }

    private void putRow(int node, NodeRow row) {
        NodeRow before = tables.row(node);
        tables.putRow(node, row);
        undo.add(() -> tables.putRow(node, before));
    }

    private void putJob(JobId job, @Nullable KnownJob next) {
        @Nullable KnownJob before = tables.jobs.get(job);
        relisting(job, () -> tables.jobs = tables.jobs.set(job, next));
        undo.add(() -> relisting(job, () -> tables.jobs = tables.jobs.set(job, before)));
    }

    private void putGeneration(JobId job, @Nullable Integer next) {
        @Nullable Integer before = tables.generations.get(job);
        relisting(job, () -> tables.generations = tables.generations.set(job, next));
        undo.add(() -> relisting(job, () -> tables.generations = tables.generations.set(job, before)));
    }

    private void putAllocation(JobId job, @Nullable GangAllocation next) {
        @Nullable GangAllocation before = tables.allocations.get(job);
        relisting(job, () -> replaceAllocation(job, next));
        undo.add(() -> relisting(job, () -> replaceAllocation(job, before)));
    }

    /** Rows change through the tables: this is its own undo step, with everything that follows from it. */
    private void replaceAllocation(JobId job, @Nullable GangAllocation next) {
        @Nullable GangAllocation before = tables.allocations.get(job);
        if (before != null) {
            charge(before, -1);
            forEachMember(before, member -> occupy(job, member, false));
        }
        if (next != null) {
            charge(next, 1);
            forEachMember(next, member -> occupy(job, member, true));
        }
        tables.allocations = tables.allocations.set(job, next);
    }

    private static void forEachMember(GangAllocation allocation, Consumer<Member> action) {
        for (Member member : allocation.members()) {
            action.accept(member);
        }
    }

    private void occupy(JobId job, Member member, boolean taken) {
        int node = nodeNumber(member.node());
        NodeRow row = tables.row(node);
        tables.putRow(node, row.withUsed(taken ? row.used() | member.gpuMask() : row.used() & ~member.gpuMask()));
        TreeSet<JobId> residents = new TreeSet<>((Collection<JobId>) residents(member.node()));
        if (taken) {
            residents.add(job);
        } else {
            residents.remove(job);
        }
        tables.residents = tables.residents.set(member.node(), residents.isEmpty() ? null : List.copyOf(residents));
    }

    private void charge(GangAllocation allocation, int sign) {
        QuotaTree tree = tables.quotaTree;
        for (int at = tree.accountOf(allocation.queue()); at != QuotaTree.ABSENT; at = tree.parentOf(at)) {
            tables.quotaUsed[at] += sign * allocation.chargedGpus();
        }
    }

    private void relisting(JobId job, Runnable change) {
        @Nullable LineEntry waited = waitingEntry(job);
        @Nullable LineEntry repaired = repairEntry(job);
        change.run();
        tables.waiting = relisted(tables.waiting, job, waited, waitingEntry(job));
        tables.repairable = relisted(tables.repairable, job, repaired, repairEntry(job));
    }

    private OrderedMap<LineEntry, KnownJob> relisted(
            OrderedMap<LineEntry, KnownJob> list, JobId job, @Nullable LineEntry before, @Nullable LineEntry after) {
        OrderedMap<LineEntry, KnownJob> kept = before != null && !before.equals(after) ? list.without(before) : list;
        return after == null ? kept : kept.with(after, Objects.requireNonNull(tables.jobs.get(job)));
    }
}
