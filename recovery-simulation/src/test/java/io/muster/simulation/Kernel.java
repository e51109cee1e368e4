package io.muster.simulation;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.PriorityQueue;

/**
 * The virtual clock: what is due is done one after the other in the order of time, and of asking where times are equal.
 * Everything that happens by chance is drawn from one generator, so the seed is the whole schedule.
 */
public final class Kernel {

    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

    private record Due(long at, long order, Runnable action) implements Comparable<Due> {
        @Override
        public int compareTo(Due other) {
            int byTime = Long.compare(at, other.at);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    private final PriorityQueue<Due> queue = new PriorityQueue<>();
    private final Chance chance;
    private final Trace trace = new Trace();
    private final Clock clock = new VirtualClock();
    private long now;
    private long asked;
    private long steps;

    public Kernel(long seed) {
        this.chance = new Chance(seed);
    }

    public Chance chance() {
        return chance;
    }

    public Trace trace() {
        return trace;
    }

    public Clock clock() {
        return clock;
    }

    public long millis() {
        return now;
    }

    public long nanos() {
        return now * 1_000_000L;
    }

    public Instant instant() {
        return BEGIN.plusMillis(now);
    }

    public long steps() {
        return steps;
    }

    public void at(long delay, Runnable action) {
        queue.add(new Due(now + Math.max(0, delay), asked++, action));
    }

    /** Does the next thing that is due; false if nothing is. */
    boolean step(long until) {
        Due next = queue.peek();
        if (next == null || next.at > until) {
            return false;
        }
        queue.poll();
        now = next.at;
        steps++;
        next.action.run();
        return true;
    }

    public void tell(String line) {
        trace.add(now, line);
    }

    private final class VirtualClock extends Clock {
        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return Kernel.this.instant();
        }

        @Override
        public long millis() {
            return BEGIN.toEpochMilli() + now;
        }
    }
}
