package io.muster.simulation;

import java.util.ArrayList;
import java.util.List;

/** The last lines of what happened, and a number that is the same for two runs only if all their lines are. */
public final class Trace {

    private static final int KEPT = Integer.getInteger("simulation.trace", 200);

    private final String[] lines = new String[KEPT];
    private long count;
    private long digest = 1125899906842597L;

    void add(long millis, String line) {
        lines[(int) (count++ % KEPT)] = millis + "\t" + line;
        digest = (digest * 31 + millis) * 31 + line.hashCode();
    }

    public long digest() {
        return digest;
    }

    public long count() {
        return count;
    }

    public List<String> last() {
        List<String> last = new ArrayList<>();
        for (long i = Math.max(0, count - KEPT); i < count; i++) {
            last.add(lines[(int) (i % KEPT)]);
        }
        return last;
    }
}
