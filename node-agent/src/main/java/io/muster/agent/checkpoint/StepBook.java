package io.muster.agent.checkpoint;

import io.muster.agent.checkpoint.Slots.Staged;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.CheckpointId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How far each step is on this node. A step can only be whole if every rank here stages it: when a rank has gone on to a
 * later step without it, it is abandoned and its slots are free. The newest 64 ended steps stay known for questions.
 */
final class StepBook {

    /** In this order; ABANDONED from anywhere before COMMITTED. */
    enum Phase {
        STAGED,
        LOCAL,
        COMMITTED,
        ABANDONED;

        boolean ended() {
            return this == COMMITTED || this == ABANDONED;
        }
    }

    private static final int ENDED_KEPT = 64;

    private final int ranksHere;
    private final NavigableMap<Long, Entry> steps = new TreeMap<>();

    StepBook(int ranksHere) {
        this.ranksHere = ranksHere;
    }

    private static final class Entry {
        private Phase phase = Phase.STAGED;
        private final Map<Integer, Staged> staged = new TreeMap<>();
        private final Map<Integer, StoredShard> stored = new TreeMap<>();
        private @Nullable CheckpointId reserved;
    }

    /** What is to be done for a step next. */
    sealed interface Work {

        record Reserve(long step) implements Work {}

        record Store(long step, CheckpointId checkpoint, Staged shard) implements Work {}

        record Report(long step, CheckpointId checkpoint, List<StoredShard> shards) implements Work {}
    }

    /**
     * Notes a staged shard; returns those to be freed: shards of older steps that can no longer be whole, or this one
     * if its own step has already ended.
     */
    List<Staged> staged(Staged shard) {
        Entry entry = steps.computeIfAbsent(shard.step(), step -> new Entry());
        if (entry.phase.ended()) {
            return List.of(shard);
        }
        entry.staged.put(shard.rank(), shard);
        return abandonWhere(steps.headMap(shard.step(), false), older -> !older.staged.containsKey(shard.rank()));
    }

    boolean has(int rank, long step) {
        Entry entry = steps.get(step);
        return entry != null && entry.staged.containsKey(rank);
    }

    Optional<Phase> phase(long step) {
        return Optional.ofNullable(steps.get(step)).map(entry -> entry.phase);
    }

    /** What can be done now, oldest step first; steps in LOCAL are reported again to learn their end. */
    List<Work> work() {
        List<Work> found = new ArrayList<>();
        for (Map.Entry<Long, Entry> each : steps.entrySet()) {
            next(each.getKey(), each.getValue()).ifPresent(found::add);
        }
        return found;
    }

    private Optional<Work> next(long step, Entry entry) {
        if (entry.phase.ended()) {
            return Optional.empty();
        }
        CheckpointId checkpoint = entry.reserved;
        if (checkpoint == null) {
            return Optional.of(new Work.Reserve(step));
        }
        for (Staged shard : entry.staged.values()) {
            if (!entry.stored.containsKey(shard.rank())) {
                return Optional.of(new Work.Store(step, checkpoint, shard));
            }
        }
        return entry.stored.size() == ranksHere
                ? Optional.of(new Work.Report(step, checkpoint, List.copyOf(entry.stored.values())))
                : Optional.empty();
    }

    /** Whether nothing more comes of the step. */
    boolean hasEnded(long step) {
        return phase(step).filter(Phase::ended).isPresent();
    }

    /** Like the two below, of no effect on a step that has ended meanwhile and may be forgotten already. */
    void reserved(long step, CheckpointId checkpoint) {
        open(step).ifPresent(entry -> entry.reserved = checkpoint);
    }

    void stored(long step, StoredShard shard) {
        open(step).ifPresent(entry -> entry.stored.put(shard.rank(), shard));
    }

    /** All shards of this node are safe and reported; returns those whose slots are free now. */
    List<Staged> reported(long step, boolean committed) {
        Entry entry = open(step).orElse(null);
        if (entry == null) {
            return List.of();
        }
        boolean first = entry.phase == Phase.STAGED;
        entry.phase = committed ? Phase.COMMITTED : Phase.LOCAL;
        trim();
        return first ? List.copyOf(entry.staged.values()) : List.of();
    }

    /** Returns the shards whose slots are free now. */
    List<Staged> abandon(long step) {
        return abandonWhere(steps.subMap(step, true, step, true), entry -> true);
    }

    /** No rank will stage anything any more: what is not whole here never will be. */
    List<Staged> seal() {
        return abandonWhere(steps, entry -> entry.staged.size() < ranksHere);
    }

    List<Staged> abandonAll() {
        return abandonWhere(steps, entry -> true);
    }

    private List<Staged> abandonWhere(Map<Long, Entry> among, Predicate<Entry> hopeless) {
        List<Staged> given = new ArrayList<>();
        for (Entry entry : among.values()) {
            if (!entry.phase.ended() && hopeless.test(entry)) {
                if (entry.phase == Phase.STAGED) {
                    given.addAll(entry.staged.values());
                }
                entry.phase = Phase.ABANDONED;
            }
        }
        trim();
        return given;
    }

    /** Whether shards are still only in slots. */
    boolean holdsUnsafe() {
        return steps.values().stream().anyMatch(entry -> entry.phase == Phase.STAGED);
    }

    private Optional<Entry> open(long step) {
        return Optional.ofNullable(steps.get(step)).filter(entry -> !entry.phase.ended());
    }

    private void trim() {
        List<Long> ended = steps.entrySet().stream()
                .filter(each -> each.getValue().phase.ended())
                .map(Map.Entry::getKey)
                .toList();
        ended.subList(0, Math.max(0, ended.size() - ENDED_KEPT)).forEach(steps::remove);
    }
}
