package io.muster.simulator.failure;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.SplittableRandom;

/**
 * The job's own course: trains, saves, and after a loss goes on from the newest checkpoint of which every shard is left.
 * A checkpoint under way when training stops is abandoned. What was trained after the restored one becomes recompute, also
 * when it was trained by an earlier attempt.
 */
final class Training {

    /** {@code safeAt} in two memories, {@code storedAt} in the store; copies count from {@code copiedAt}. */
    private record Commit(long trained, long copiedAt, long safeAt, long storedAt, PeerCopies copies) {}

    private static final long NEVER = Long.MAX_VALUE;

    private final CheckpointCourse course;
    private final Ledger ledger;
    private final SplittableRandom stalls;
    /** Newest first. */
    private final Deque<Commit> commits = new ArrayDeque<>();

    private PeerCopies copies;
    private long untilSave;
    private long stallLeft;
    private long saves;
    private long trainedEver;

    /** Begins at step 0, which can always be begun again. */
    Training(CheckpointCourse course, Ledger ledger, SplittableRandom stalls, PeerCopies copies) {
        this.course = course;
        this.ledger = ledger;
        this.stalls = stalls;
        this.copies = copies;
        this.untilSave = course.intervalMillis();
        commits.push(new Commit(0, 0, 0, 0, copies));
    }

    /** Trains and saves without a fault in this time. */
    void run(long from, long to) {
        long at = from;
        while (at < to) {
            if (stallLeft > 0) {
                long stalled = Math.min(stallLeft, to - at);
                ledger.book(Phase.STALL, stalled);
                at += stalled;
                stallLeft -= stalled;
                if (stallLeft == 0) {
                    saved(at);
                }
            } else {
                long trained = Math.min(untilSave, to - at);
                ledger.book(Phase.USEFUL, trained);
                trainedEver += trained;
                at += trained;
                untilSave -= trained;
                if (untilSave == 0) {
                    untilSave = course.intervalMillis();
                    stallLeft = course.stall().draw(stalls);
                    if (stallLeft == 0) {
                        saved(at);
                    }
                }
            }
        }
    }

    private void saved(long at) {
        saves++;
        long stored = saves % course.durableEvery() == 0 ? at + course.durableLagMillis() : NEVER;
        commits.push(new Commit(ledger.millis(Phase.USEFUL), at, at + course.peerLagMillis(), stored, copies));
        forgetOlderThanStored(at);
    }

    /** Nothing older than the newest that is in the store is ever restored. */
    private void forgetOlderThanStored(long now) {
        boolean stored = false;
        for (Iterator<Commit> all = commits.iterator(); all.hasNext(); ) {
            Commit commit = all.next();
            if (stored) {
                all.remove();
            }
            stored |= commit.storedAt() <= now;
        }
    }

    /**
     * Goes back to the newest checkpoint that was complete when training stopped and of which every shard is left now. May
     * be asked again when more memories were lost.
     *
     * @return it is left in memories, not in the store alone
     */
    boolean goBack(long stoppedAt, long[] memoryLostAt) {
        Commit newest = commits.element();
        while (!inMemory(newest, stoppedAt, memoryLostAt) && newest.storedAt() > stoppedAt) {
            commits.pop();
            newest = commits.element();
        }
        ledger.lose(ledger.millis(Phase.USEFUL) - newest.trained());
        untilSave = course.intervalMillis();
        stallLeft = 0;
        return inMemory(newest, stoppedAt, memoryLostAt);
    }

    private static boolean inMemory(Commit commit, long stoppedAt, long[] memoryLostAt) {
        return commit.safeAt() <= stoppedAt && commit.copies().whole(commit.copiedAt(), memoryLostAt);
    }

    /** All members of the gang have their shards: what was restored has its two copies again. */
    void goOn(long now, PeerCopies newCopies) {
        copies = newCopies;
        Commit restored = commits.pop();
        commits.push(new Commit(restored.trained(), now, now, restored.storedAt(), newCopies));
    }

    /** Every millisecond that was trained, kept or not. */
    long trainedEver() {
        return trainedEver;
    }

    long saves() {
        return saves;
    }
}
