package io.muster.health.lease;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Verdicts that are decided but not yet written, oldest first; they wait here while the database is away. */
@Component
public class LeaseVerdicts {

    private final Deque<LeaseVerdict> waiting = new ArrayDeque<>();

    synchronized void add(List<LeaseVerdict> verdicts) {
        waiting.addAll(verdicts);
    }

    /** The oldest one, which stays until it is {@link #written}. */
    public synchronized @Nullable LeaseVerdict oldest() {
        return waiting.peekFirst();
    }

    public synchronized void written(LeaseVerdict verdict) {
        waiting.removeFirstOccurrence(verdict);
    }

    synchronized void clear() {
        waiting.clear();
    }
}
