package io.muster.scheduling.cluster;

import io.muster.scheduling.gang.DomainType;
import java.util.Arrays;

/** A rack, power domain, pod or cluster: its cells and the summary over them. */
public final class Domain {

    private final int epoch;
    private final DomainType type;
    private final int number;
    private final String name;
    private int[] cells;
    private FreeSummary summary;

    Domain(int epoch, DomainType type, int number, String name) {
        this(epoch, type, number, name, new int[0], new FreeSummary(epoch));
    }

    private Domain(int epoch, DomainType type, int number, String name, int[] cells, FreeSummary summary) {
        this.epoch = epoch;
        this.type = type;
        this.number = number;
        this.name = name;
        this.cells = cells;
        this.summary = summary;
    }

    Domain ownedBy(int wanted) {
        return epoch == wanted ? this : new Domain(wanted, type, number, name, cells, summary.ownedBy(wanted));
    }

    public DomainType type() {
        return type;
    }

    public int number() {
        return number;
    }

    public String name() {
        return name;
    }

    public int cellCount() {
        return cells.length;
    }

    public int cell(int at) {
        return cells[at];
    }

    public FreeSummary summary() {
        return summary;
    }

    /** Cells are numbered as they appear, so the newest is the last. */
    void addCell(int cell) {
        cells = Arrays.copyOf(cells, cells.length + 1);
        cells[cells.length - 1] = cell;
    }

    void removeLastCell() {
        cells = Arrays.copyOf(cells, cells.length - 1);
    }
}
