package io.muster.scheduling.cluster;

import io.muster.scheduling.gang.DomainType;
import io.muster.scheduling.gang.JobId;
import io.muster.scheduling.gang.NodeId;
import io.muster.scheduling.quota.QuotaTree;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The state behind an image or a working copy. Pages, cells and domains carry the epoch that owns them; a write copies
 * what belongs to an older epoch first, so a frozen copy never changes. Summaries follow every change of a row, so they
 * need no undoing of their own.
 */
final class Tables {

    int epoch = 1;
    int nodeCount;
    NodePage[] pages = new NodePage[0];
    NodeClass[] classes = new NodeClass[0];
    Cell[] cells = new Cell[0];
    final Domain[][] domains;

    /** Only grows or takes back its newest; readers of an older image check their own node count. */
    final ConcurrentMap<NodeId, Integer> nodeNumbers;

    OrderedMap<JobId, KnownJob> jobs = OrderedMap.empty();
    OrderedMap<JobId, Integer> generations = OrderedMap.empty();
    OrderedMap<JobId, GangAllocation> allocations = OrderedMap.empty();
    OrderedMap<LineEntry, KnownJob> waiting =
            OrderedMap.weighing(job -> job.demand().gang().gpus());
    OrderedMap<LineEntry, KnownJob> repairable = OrderedMap.empty();
    OrderedMap<NodeId, List<JobId>> residents = OrderedMap.empty();
    QuotaTree quotaTree = QuotaTree.NONE;
    long[] quotaUsed = new long[0];
    Provenance provenance = Provenance.NONE;

    Tables() {
        this(new ConcurrentHashMap<>(), new Domain[DomainType.aboveNode().size()][0]);
    }

    private Tables(ConcurrentMap<NodeId, Integer> nodeNumbers, Domain[][] domains) {
        this.nodeNumbers = nodeNumbers;
        this.domains = domains;
    }

    /** A copy that shares everything until either side writes. */
    Tables copy(boolean ownNumbers) {
        Domain[][] sameDomains = new Domain[domains.length][];
        for (int type = 0; type < domains.length; type++) {
            sameDomains[type] = domains[type].clone();
        }
        Tables copy = new Tables(ownNumbers ? new ConcurrentHashMap<>(nodeNumbers) : nodeNumbers, sameDomains);
        copy.epoch = epoch;
        copy.nodeCount = nodeCount;
        copy.pages = pages.clone();
        copy.classes = classes;
        copy.cells = cells.clone();
        copy.jobs = jobs;
        copy.generations = generations;
        copy.allocations = allocations;
        copy.waiting = waiting;
        copy.repairable = repairable;
        copy.residents = residents;
        copy.quotaTree = quotaTree;
        copy.quotaUsed = quotaUsed.clone();
        copy.provenance = provenance;
        return copy;
    }

    NodeId nodeId(int node) {
        return Objects.requireNonNull(pages[node >>> NodePage.BITS].ids[node & NodePage.SIZE - 1]);
    }

    NodeRow row(int node) {
        return pages[node >>> NodePage.BITS].row(node & NodePage.SIZE - 1);
    }

    void putRow(int node, NodeRow row) {
        NodeRow old = row(node);
        if (old.registered()) {
            count(old, -1);
        }
        if (old.cell() != row.cell()) {
            if (old.registered()) {
                ownCell(old.cell()).removeNode(node);
            }
            if (row.registered()) {
                ownCell(row.cell()).addNode(node);
            }
        }
        if (row.registered()) {
            count(row, 1);
        }
        ownPage(node).put(node & NodePage.SIZE - 1, row);
    }

    private void count(NodeRow row, int nodes) {
        boolean placeable = classes[row.classNumber()].takesNewJobs();
        Cell cell = ownCell(row.cell());
        cell.summary().add(row.classNumber(), row.free(), nodes, placeable);
        for (DomainType type : DomainType.aboveNode()) {
            ownDomain(type, cell.domain(type)).summary().add(row.classNumber(), row.free(), nodes, placeable);
        }
    }

    void appendNode(NodeId id) {
        int page = nodeCount >>> NodePage.BITS;
        if (page == pages.length) {
            pages = Arrays.copyOf(pages, page + 1);
            pages[page] = new NodePage(epoch);
        }
        ownPage(nodeCount).ids[nodeCount & NodePage.SIZE - 1] = id;
        nodeNumbers.put(id, nodeCount);
        nodeCount++;
    }

    void removeNewestNode() {
        nodeCount--;
        nodeNumbers.remove(nodeId(nodeCount));
        ownPage(nodeCount).ids[nodeCount & NodePage.SIZE - 1] = null;
    }

    void appendClass(NodeClass nodeClass) {
        classes = Arrays.copyOf(classes, classes.length + 1);
        classes[classes.length - 1] = nodeClass;
    }

    void removeNewestClass() {
        classes = Arrays.copyOf(classes, classes.length - 1);
    }

    void appendCell(int[] domainNumbers) {
        int number = cells.length;
        cells = Arrays.copyOf(cells, number + 1);
        cells[number] = new Cell(epoch, number, domainNumbers);
        for (DomainType type : DomainType.aboveNode()) {
            ownDomain(type, cells[number].domain(type)).addCell(number);
        }
    }

    void removeNewestCell() {
        Cell cell = cells[cells.length - 1];
        for (DomainType type : DomainType.aboveNode()) {
            ownDomain(type, cell.domain(type)).removeLastCell();
        }
        cells = Arrays.copyOf(cells, cells.length - 1);
    }

    void appendDomain(DomainType type, String name) {
        Domain[] ofType = domains[type.ordinal() - 1];
        Domain[] more = Arrays.copyOf(ofType, ofType.length + 1);
        more[ofType.length] = new Domain(epoch, type, ofType.length, name);
        domains[type.ordinal() - 1] = more;
    }

    void removeNewestDomain(DomainType type) {
        Domain[] ofType = domains[type.ordinal() - 1];
        domains[type.ordinal() - 1] = Arrays.copyOf(ofType, ofType.length - 1);
    }

    private NodePage ownPage(int node) {
        int page = node >>> NodePage.BITS;
        pages[page] = pages[page].ownedBy(epoch);
        return pages[page];
    }

    private Cell ownCell(int cell) {
        cells[cell] = cells[cell].ownedBy(epoch);
        return cells[cell];
    }

    private Domain ownDomain(DomainType type, int domain) {
        Domain[] ofType = domains[type.ordinal() - 1];
        ofType[domain] = ofType[domain].ownedBy(epoch);
        return ofType[domain];
    }
}
