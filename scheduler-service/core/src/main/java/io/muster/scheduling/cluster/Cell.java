package io.muster.scheduling.cluster;

import io.muster.scheduling.gang.DomainType;
import java.util.Arrays;

/**
 * The nodes that share their domain of every type. Every domain of every type is a union of cells, however irregular
 * the tree, so counts over cells are exact for any mix of domain types.
 */
public final class Cell {

    private final int epoch;
    private final int number;
    private final int[] domains;
    private int[] nodes;
    private FreeSummary summary;

    Cell(int epoch, int number, int[] domains) {
        this(epoch, number, domains, new int[0], new FreeSummary(epoch));
    }

    private Cell(int epoch, int number, int[] domains, int[] nodes, FreeSummary summary) {
        this.epoch = epoch;
        this.number = number;
        this.domains = domains;
        this.nodes = nodes;
        this.summary = summary;
    }

    Cell ownedBy(int wanted) {
        return epoch == wanted ? this : new Cell(wanted, number, domains, nodes, summary.ownedBy(wanted));
    }

    public int number() {
        return number;
    }

    /** The number of this cell's domain of a type above NODE. */
    public int domain(DomainType type) {
        return domains[type.ordinal() - 1];
    }

    public int nodeCount() {
        return nodes.length;
    }

    /** Node numbers in ascending order. */
    public int node(int at) {
        return nodes[at];
    }

    public FreeSummary summary() {
        return summary;
    }

    void addNode(int node) {
        int at = -Arrays.binarySearch(nodes, node) - 1;
        int[] more = new int[nodes.length + 1];
        System.arraycopy(nodes, 0, more, 0, at);
        more[at] = node;
        System.arraycopy(nodes, at, more, at + 1, nodes.length - at);
        nodes = more;
    }

    void removeNode(int node) {
        int at = Arrays.binarySearch(nodes, node);
        int[] fewer = Arrays.copyOf(nodes, nodes.length - 1);
        System.arraycopy(nodes, at + 1, fewer, at, nodes.length - at - 1);
        nodes = fewer;
    }
}
