package io.muster.edge.stream;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The changes of one kind of thing. {@link ChangeTail} reads each once from the database and the newest are kept for all
 * streams; a stream that is further behind, because it has just come back or its reader is slow, reads pages from the
 * database until it has caught up. So a slow reader costs nobody anything: nothing is queued for it, and between two
 * pages it holds neither a connection nor a transaction.
 *
 * <p>Of one key a stream never sees an older state after a newer one: each state is read after its number was committed.
 */
public final class ChangeFeed<T> {

    /** Reads the changes above a number, in order, at most so many, each thing as it is now. */
    public interface Reader<T> {
        List<Change<T>> after(long number, int most);
    }

    /**
     * Changes in order.
     *
     * @param upTo there are no others up to here
     */
    record Batch<T>(List<Change<T>> changes, long upTo) {}

    static final int PAGE = 200;
    static final int MOST_KEPT = 2_000;

    /**
     * @param after every change above this and up to {@code upTo} is in the list
     */
    private record Kept<T>(long after, long upTo, List<Change<T>> changes) {}

    private final Reader<T> reader;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition moved = lock.newCondition();
    private volatile Kept<T> kept = new Kept<>(0, 0, List.of());

    public ChangeFeed(Reader<T> reader) {
        this.reader = reader;
    }

    /** Every change up to here could be seen when this is answered: what is read afterwards has it. */
    long head() {
        return kept.upTo();
    }

    /** The beginning: what was before is read from the database by those who ask for it. */
    void startAt(long newest) {
        kept = new Kept<>(newest, newest, List.of());
    }

    /** Reads on up to the newest number; only the tail does. */
    void advance(long newest) {
        Kept<T> before = kept;
        if (newest <= before.upTo()) {
            return;
        }
        List<Change<T>> changes = new ArrayList<>(before.changes());
        long upTo = before.upTo();
        List<Change<T>> page;
        do {
            page = reader.after(upTo, PAGE);
            changes.addAll(page);
            upTo = page.isEmpty() ? upTo : page.getLast().number();
        } while (page.size() == PAGE);
        int surplus = Math.max(0, changes.size() - MOST_KEPT);
        long after = surplus == 0 ? before.after() : changes.get(surplus - 1).number();
        kept = new Kept<>(after, Math.max(upTo, newest), List.copyOf(changes.subList(surplus, changes.size())));
        wake();
    }

    Batch<T> after(long number) {
        Kept<T> now = kept;
        return number >= now.after() ? remembered(now, number) : read(number, now.upTo());
    }

    private static <T> Batch<T> remembered(Kept<T> now, long number) {
        List<Change<T>> changes = now.changes();
        int from = changes.size();
        while (from > 0 && changes.get(from - 1).number() > number) {
            from--;
        }
        int to = Math.min(changes.size(), from + PAGE);
        long upTo = to == changes.size()
                ? Math.max(now.upTo(), number)
                : changes.get(to - 1).number();
        return new Batch<>(changes.subList(from, to), upTo);
    }

    private Batch<T> read(long number, long seenBefore) {
        List<Change<T>> page = reader.after(number, PAGE);
        long last = page.isEmpty() ? number : page.getLast().number();
        return new Batch<>(page, page.size() == PAGE ? last : Math.max(last, seenBefore));
    }

    /** Until there may be something above the number, for so long at most; may come back early. */
    void await(long number, long nanos) throws InterruptedException {
        lock.lock();
        try {
            if (kept.upTo() <= number && nanos > 0) {
                moved.awaitNanos(nanos);
            }
        } finally {
            lock.unlock();
        }
    }

    void wake() {
        lock.lock();
        try {
            moved.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
