package io.muster.simulator.failure;

import java.util.Comparator;

/**
 * Something happens to one node.
 *
 * @param detectMillis from then to the hold
 * @param outMillis from then until the node has passed its checks again
 */
record Hit(long at, Cause cause, int node, long detectMillis, long outMillis) implements Comparable<Hit> {

    private static final Comparator<Hit> ORDER =
            Comparator.comparingLong(Hit::at).thenComparing(Hit::cause).thenComparingInt(Hit::node);

    Hit {
        if (outMillis <= detectMillis) {
            throw new IllegalArgumentException("node " + node + " would be back after " + outMillis
                    + " ms, before its loss is known after " + detectMillis + " ms; repair must take longer");
        }
    }

    @Override
    public int compareTo(Hit other) {
        return ORDER.compare(this, other);
    }
}
