package io.muster.scheduling.cluster;

import java.util.Arrays;

/**
 * How many nodes of each class have how many free GPUs, for one cell or domain: what a decision reads instead of the
 * nodes.
 */
public final class FreeSummary {

    private final int epoch;
    private int[] classNumbers;
    private int[][] nodesByFree;
    private int freeGpus;

    FreeSummary(int epoch) {
        this(epoch, new int[0], new int[0][], 0);
    }

    private FreeSummary(int epoch, int[] classNumbers, int[][] nodesByFree, int freeGpus) {
        this.epoch = epoch;
        this.classNumbers = classNumbers;
        this.nodesByFree = nodesByFree;
        this.freeGpus = freeGpus;
    }

    /** This one if it belongs to the epoch, else a copy that does. */
    FreeSummary ownedBy(int wanted) {
        if (epoch == wanted) {
            return this;
        }
        int[][] counts = new int[nodesByFree.length][];
        for (int at = 0; at < counts.length; at++) {
            counts[at] = nodesByFree[at].clone();
        }
        return new FreeSummary(wanted, classNumbers.clone(), counts, freeGpus);
    }

    void add(int classNumber, int free, int nodes, boolean placeable) {
        int at = Arrays.binarySearch(classNumbers, classNumber);
        if (at < 0) {
            at = -at - 1;
            insert(at, classNumber);
        }
        if (free >= nodesByFree[at].length) {
            nodesByFree[at] = Arrays.copyOf(nodesByFree[at], free + 1);
        }
        nodesByFree[at][free] += nodes;
        if (placeable) {
            freeGpus += nodes * free;
        }
        if (nodesByFree[at][free] == 0 && empty(nodesByFree[at])) {
            remove(at);
        }
    }

    /** A class without nodes leaves no trace, so that undoing may take its number back. */
    private void remove(int at) {
        int size = classNumbers.length - 1;
        int[] numbers = Arrays.copyOf(classNumbers, size);
        int[][] counts = Arrays.copyOf(nodesByFree, size);
        System.arraycopy(classNumbers, at + 1, numbers, at, size - at);
        System.arraycopy(nodesByFree, at + 1, counts, at, size - at);
        classNumbers = numbers;
        nodesByFree = counts;
    }

    private static boolean empty(int[] counts) {
        for (int count : counts) {
            if (count != 0) {
                return false;
            }
        }
        return true;
    }

    private void insert(int at, int classNumber) {
        int size = classNumbers.length;
        int[] numbers = new int[size + 1];
        int[][] counts = new int[size + 1][];
        System.arraycopy(classNumbers, 0, numbers, 0, at);
        System.arraycopy(classNumbers, at, numbers, at + 1, size - at);
        System.arraycopy(nodesByFree, 0, counts, 0, at);
        System.arraycopy(nodesByFree, at, counts, at + 1, size - at);
        numbers[at] = classNumber;
        counts[at] = new int[1];
        classNumbers = numbers;
        nodesByFree = counts;
    }

    /** Nodes of these classes, indexed by class number, with at least so many free GPUs. */
    public int nodes(boolean[] classes, int minFree) {
        int nodes = 0;
        for (int at = 0; at < classNumbers.length; at++) {
            if (classes[classNumbers[at]]) {
                int[] counts = nodesByFree[at];
                for (int free = minFree; free < counts.length; free++) {
                    nodes += counts[free];
                }
            }
        }
        return nodes;
    }

    /** Nodes of one class with exactly so many free GPUs. */
    public int nodes(int classNumber, int free) {
        int at = Arrays.binarySearch(classNumbers, classNumber);
        return at < 0 || free >= nodesByFree[at].length ? 0 : nodesByFree[at][free];
    }

    /** Free GPUs on nodes of these classes. */
    public int gpus(boolean[] classes) {
        int gpus = 0;
        for (int at = 0; at < classNumbers.length; at++) {
            if (classes[classNumbers[at]]) {
                int[] counts = nodesByFree[at];
                for (int free = 1; free < counts.length; free++) {
                    gpus += counts[free] * free;
                }
            }
        }
        return gpus;
    }

    /** Free GPUs on nodes that take work of some size. */
    public int freeGpus() {
        return freeGpus;
    }
}
