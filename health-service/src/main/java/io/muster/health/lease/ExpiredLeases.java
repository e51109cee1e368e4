package io.muster.health.lease;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Expiries that are decided but not yet written, oldest first; they wait here while the database is away. */
@Component
public class ExpiredLeases {

    private final Deque<ExpiredLease> waiting = new ArrayDeque<>();

    synchronized void add(List<ExpiredLease> expired) {
        waiting.addAll(expired);
    }

    /** The oldest one, which stays until it is {@link #written}. */
    public synchronized @Nullable ExpiredLease oldest() {
        return waiting.peekFirst();
    }

    public synchronized void written(ExpiredLease expired) {
        waiting.removeFirstOccurrence(expired);
    }

    synchronized void clear() {
        waiting.clear();
    }
}
