package io.muster.scheduling.cluster;

/** A node's changing facts, by numbers; a node that is not registered has no class and no cell. */
record NodeRow(int classNumber, int cell, long present, long held, long used) {

    static final int ABSENT = -1;
    static final NodeRow NOT_REGISTERED = new NodeRow(ABSENT, ABSENT, 0, 0, 0);

    boolean registered() {
        return classNumber != ABSENT;
    }

    int free() {
        return Long.bitCount(present & ~held & ~used);
    }

    NodeRow withUsed(long mask) {
        return new NodeRow(classNumber, cell, present, held, mask);
    }

    static long firstGpus(int gpus) {
        return gpus == Long.SIZE ? -1L : (1L << gpus) - 1;
    }
}
