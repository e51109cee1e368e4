package io.muster.scheduling.cluster;

import io.muster.scheduling.gang.DomainType;
import io.muster.scheduling.gang.JobId;
import io.muster.scheduling.gang.NodeId;
import io.muster.scheduling.quota.QueuePath;
import io.muster.scheduling.quota.QuotaRules;
import io.muster.scheduling.quota.QuotaTree;
import io.muster.scheduling.quota.QuotaVerdict;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What placement, explanation and queries read: a published image or the working copy. Nodes, classes, cells and
 * domains go by dense numbers from 0; a number below {@link #nodeCount()} may belong to a node that is not registered.
 */
public abstract sealed class ClusterView permits ClusterImage, WorkingCopy {

    public static final int ABSENT = NodeRow.ABSENT;

    final Tables tables;

    ClusterView(Tables tables) {
        this.tables = tables;
    }

    public final int nodeCount() {
        return tables.nodeCount;
    }

    public final boolean registered(int node) {
        return classNumber(node) != ABSENT;
    }

    public final boolean anyRegistered() {
        for (int node = 0; node < tables.nodeCount; node++) {
            if (registered(node)) {
                return true;
            }
        }
        return false;
    }

    public final NodeId nodeId(int node) {
        return tables.nodeId(node);
    }

    /** The node's number, or ABSENT if this view has never known it. */
    public final int nodeNumber(NodeId id) {
        @Nullable Integer number = tables.nodeNumbers.get(id);
        return number == null || number >= tables.nodeCount || !nodeId(number).equals(id) ? ABSENT : number;
    }

    public final int classNumber(int node) {
        return tables.pages[node >>> NodePage.BITS].classNumbers[node & NodePage.SIZE - 1];
    }

    public final int classCount() {
        return tables.classes.length;
    }

    public final NodeClass nodeClass(int classNumber) {
        return tables.classes[classNumber];
    }

    public final int cellNumber(int node) {
        return tables.pages[node >>> NodePage.BITS].cells[node & NodePage.SIZE - 1];
    }

    public final int cellCount() {
        return tables.cells.length;
    }

    public final Cell cell(int cell) {
        return tables.cells[cell];
    }

    /** For types above NODE. */
    public final int domainCount(DomainType type) {
        return tables.domains[type.ordinal() - 1].length;
    }

    public final Domain domain(DomainType type, int number) {
        return tables.domains[type.ordinal() - 1][number];
    }

    /** The name of a registered node's domain; for NODE the node itself. */
    public final String domainName(DomainType type, int node) {
        return type == DomainType.NODE
                ? nodeId(node).value()
                : domain(type, cell(cellNumber(node)).domain(type)).name();
    }

    /** GPUs that nobody holds, neither a gang nor a hold; whether the node takes work is its class's matter. */
    public final long freeMask(int node) {
        NodePage page = tables.pages[node >>> NodePage.BITS];
        int at = node & NodePage.SIZE - 1;
        return page.present[at] & ~page.held[at] & ~page.used[at];
    }

    public final int freeGpus(int node) {
        return Long.bitCount(freeMask(node));
    }

    public final long usedMask(int node) {
        return tables.row(node).used();
    }

    public final long heldMask(int node) {
        return tables.row(node).held();
    }

    public final int gpus(int node) {
        return Long.bitCount(tables.row(node).present());
    }

    public final Optional<KnownJob> job(JobId job) {
        return Optional.ofNullable(tables.jobs.get(job));
    }

    public final OrderedMap<JobId, KnownJob> jobs() {
        return tables.jobs;
    }

    public final Optional<GangAllocation> allocation(JobId job) {
        return Optional.ofNullable(tables.allocations.get(job));
    }

    public final OrderedMap<JobId, GangAllocation> allocations() {
        return tables.allocations;
    }

    /** Jobs with members on the node, in order of id. */
    public final List<JobId> residents(NodeId node) {
        @Nullable List<JobId> jobs = tables.residents.get(node);
        return jobs == null ? List.of() : jobs;
    }

    /** Jobs that want a placement, first in line first, weighed by the GPUs they ask for. */
    public final OrderedMap<LineEntry, KnownJob> waiting() {
        return tables.waiting;
    }

    /** The job's place in line; empty if it does not wait. */
    public final Optional<LineEntry> placeInLine(JobId job) {
        return Optional.ofNullable(waitingEntry(job));
    }

    /** Jobs whose wounded gang is to be repaired, in the order of the line. */
    public final OrderedMap<LineEntry, KnownJob> repairable() {
        return tables.repairable;
    }

    /** The job's place among the repairs; empty if nothing of it is to be repaired. */
    public final Optional<LineEntry> placeAmongRepairs(JobId job) {
        return Optional.ofNullable(repairEntry(job));
    }

    /** The newest generation of the job that was ever placed, or 0. */
    public final int lastGeneration(JobId job) {
        @Nullable Integer placed = tables.generations.get(job);
        @Nullable KnownJob known = tables.jobs.get(job);
        return Math.max(placed == null ? 0 : placed, known == null ? 0 : known.seenGeneration());
    }

    public final QuotaTree quotaTree() {
        return tables.quotaTree;
    }

    /**
     * GPUs charged at and below a quota node, by its number in the tree: those in use, and the places that wounded gangs
     * keep for their replacements.
     */
    public final long quotaUsed(int number) {
        return tables.quotaUsed[number];
    }

    public final QuotaVerdict quotaVerdict(QueuePath queue, long gpus) {
        return QuotaRules.judge(tables.quotaTree, this::quotaUsed, queue, gpus);
    }

    public final Provenance provenance() {
        return tables.provenance;
    }

    /**
     * A job waits if it wants a placement, holds none, and has noticed the newest one it was given: else that one is
     * still on its way to it.
     */
    final @Nullable LineEntry waitingEntry(JobId job) {
        @Nullable KnownJob known = tables.jobs.get(job);
        if (known == null || known.wish() != JobWish.PLACEMENT || tables.allocations.get(job) != null) {
            return null;
        }
        @Nullable Integer placed = tables.generations.get(job);
        return placed != null && placed > known.seenGeneration() ? null : LineEntry.of(known);
    }

    /** A gang is repaired while its job wants it and nothing of it was given back. */
    final @Nullable LineEntry repairEntry(JobId job) {
        @Nullable KnownJob known = tables.jobs.get(job);
        @Nullable GangAllocation gang = tables.allocations.get(job);
        if (known == null || gang == null || !gang.repairable()) {
            return null;
        }
        return switch (known.wish()) {
            case PLACEMENT, KEEPING -> LineEntry.of(known);
            case NOTHING, ENDED -> null;
        };
    }
}
