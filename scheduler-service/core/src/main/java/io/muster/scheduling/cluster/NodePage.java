package io.muster.scheduling.cluster;

import io.muster.scheduling.gang.NodeId;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** 256 nodes in primitive arrays: the unit that images share and a working copy copies before its first change. */
final class NodePage {

    static final int BITS = 8;
    static final int SIZE = 1 << BITS;

    final int epoch;
    final @Nullable NodeId[] ids;
    final int[] classNumbers;
    final int[] cells;
    final long[] present;
    final long[] held;
    final long[] used;

    NodePage(int epoch) {
        this.epoch = epoch;
        this.ids = new NodeId[SIZE];
        this.classNumbers = new int[SIZE];
        this.cells = new int[SIZE];
        this.present = new long[SIZE];
        this.held = new long[SIZE];
        this.used = new long[SIZE];
        Arrays.fill(classNumbers, NodeRow.ABSENT);
        Arrays.fill(cells, NodeRow.ABSENT);
    }

    private NodePage(int epoch, NodePage from) {
        this.epoch = epoch;
        this.ids = from.ids.clone();
        this.classNumbers = from.classNumbers.clone();
        this.cells = from.cells.clone();
        this.present = from.present.clone();
        this.held = from.held.clone();
        this.used = from.used.clone();
    }

    NodePage ownedBy(int wanted) {
        return epoch == wanted ? this : new NodePage(wanted, this);
    }

    NodeRow row(int at) {
        return new NodeRow(classNumbers[at], cells[at], present[at], held[at], used[at]);
    }

    void put(int at, NodeRow row) {
        classNumbers[at] = row.classNumber();
        cells[at] = row.cell();
        present[at] = row.present();
        held[at] = row.held();
        used[at] = row.used();
    }
}
