package io.muster.agent.checkpoint;

import io.muster.agent.memory.HeldShard;
import io.muster.contract.checkpoint.Durability;
import io.muster.contract.checkpoint.ShardHolder;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.NodeId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How far each step is on this node. A step can only be whole if every rank here stages it: when a rank has gone on to a
 * later step without it, it is abandoned. A shard is told of as soon as it is in memory, again when the peer has it, and
 * again when the store has it; the store's turn comes when the peer has it, or was tried in vain, or there is none. The
 * newest step goes first, except for what {@link Storing} wants, and a commit ends every older step that was not committed:
 * it can never be restored from. The newest 64 ended steps stay known for questions.
 */
final class StepBook {

    /** In this order; ABANDONED from anywhere before COMMITTED. */
    enum Phase {
        STAGED,
        LOCAL,
        COMMITTED,
        ABANDONED
    }

    private static final int ENDED_KEPT = 64;
    private static final int COMMITTED_STORED_LATER = 2;

    private final int ranksHere;
    private final NodeId self;
    private final @Nullable NodeId peer;
    private final NavigableMap<Long, Entry> steps = new TreeMap<>();
    private final Storing storing = new Storing();

    /** @param peer who keeps copies; null if nobody does */
    StepBook(int ranksHere, NodeId self, @Nullable NodeId peer) {
        this.ranksHere = ranksHere;
        this.self = self;
        this.peer = peer;
    }

    private static final class Entry {
        private Phase phase = Phase.STAGED;
        private final Map<Integer, HeldShard> staged = new TreeMap<>();
        private final Map<Integer, String> stored = new TreeMap<>();
        private final Set<Integer> copied = new HashSet<>();
        private final Set<Integer> copyTried = new HashSet<>();
        private final Set<Integer> dropped = new HashSet<>();
        private List<StoredShard> told = List.of();
        private @Nullable CheckpointId reserved;
        private boolean ended;

        private boolean committed() {
            return phase == Phase.COMMITTED;
        }
    }

    /** What is to be done for a step next. */
    sealed interface Work {

        long step();

        default WorkItem item() {
            return new WorkItem(step(), OptionalInt.empty());
        }

        record Reserve(long step) implements Work {}

        record Report(long step, CheckpointId checkpoint, List<StoredShard> shards) implements Work {}

        /** @param keptSteps of this rank that the peer shall still have afterwards */
        record Copy(HeldShard shard, List<Long> keptSteps) implements Work {

            @Override
            public long step() {
                return shard.step();
            }

            @Override
            public WorkItem item() {
                return new WorkItem(step(), OptionalInt.of(shard.rank()));
            }
        }

        record Store(CheckpointId checkpoint, HeldShard shard) implements Work {

            @Override
            public long step() {
                return shard.step();
            }

            @Override
            public WorkItem item() {
                return new WorkItem(step(), OptionalInt.of(shard.rank()));
            }
        }
    }

    /**
     * Notes a staged shard, also one that an earlier life of the agent had; returns those that are of no use now: shards
     * of older steps that can no longer be whole, or this one if its own step has already ended.
     */
    List<HeldShard> staged(HeldShard shard) {
        Entry entry = steps.computeIfAbsent(shard.step(), step -> new Entry());
        if (entry.ended) {
            return List.of(shard);
        }
        entry.staged.put(shard.rank(), shard);
        if (shard.checkpoint() != null) {
            entry.reserved = shard.checkpoint();
            entry.phase = Phase.COMMITTED;
            choose();
        }
        return abandonWhere(
                steps.headMap(shard.step(), false),
                older -> !older.committed() && !older.staged.containsKey(shard.rank()));
    }

    boolean has(int rank, long step) {
        Entry entry = steps.get(step);
        return entry != null && entry.staged.containsKey(rank);
    }

    Optional<Phase> phase(long step) {
        return Optional.ofNullable(steps.get(step)).map(entry -> entry.phase);
    }

    /** Whether nothing more comes of the step. */
    boolean hasEnded(long step) {
        Entry entry = steps.get(step);
        return entry != null && entry.ended;
    }

    /** Shards of a rank in memory whose step is not committed yet, the oldest first. */
    List<HeldShard> onTheirWay(int rank) {
        List<HeldShard> found = new ArrayList<>();
        for (Entry entry : steps.values()) {
            HeldShard shard = entry.staged.get(rank);
            if (!entry.ended && !entry.committed() && shard != null && !entry.dropped.contains(rank)) {
                found.add(shard);
            }
        }
        return found;
    }

    /** The oldest of them that the store has: memory can do without it. */
    Optional<HeldShard> spareable(int rank) {
        return onTheirWay(rank).stream()
                .filter(shard -> open(shard.step())
                        .filter(entry -> entry.stored.containsKey(rank))
                        .isPresent())
                .findFirst();
    }

    /** Memory has no copy of it any more. */
    void dropped(HeldShard shard) {
        open(shard.step()).ifPresent(entry -> entry.dropped.add(shard.rank()));
    }

    /**
     * What is to be said to the service, the oldest step first; until it is committed, and again
     * from when all of it is stored until it is DURABLE, a step is asked about again.
     */
    List<Work> toTell() {
        List<Work> found = new ArrayList<>();
        steps.forEach((step, entry) -> {
            CheckpointId checkpoint = entry.reserved;
            if (entry.ended) {
                return;
            }
            if (checkpoint == null) {
                found.add(new Work.Reserve(step));
            } else if (entry.staged.size() == ranksHere
                    && (!entry.committed()
                            || entry.stored.size() == ranksHere
                            || !copies(entry).equals(entry.told))) {
                found.add(new Work.Report(step, checkpoint, copies(entry)));
            }
        });
        return found;
    }

    private List<StoredShard> copies(Entry entry) {
        List<StoredShard> copies = new ArrayList<>();
        entry.staged.forEach((rank, shard) -> {
            List<ShardHolder> holders = new ArrayList<>();
            if (!entry.dropped.contains(rank)) {
                holders.add(new ShardHolder(self, null, 0));
            }
            if (peer != null && entry.copied.contains(rank)) {
                holders.add(new ShardHolder(peer, null, 0));
            }
            copies.add(new StoredShard(rank, entry.stored.get(rank), shard.sizeBytes(), shard.sha256(), holders));
        });
        return copies;
    }

    List<Work> toCopy() {
        List<Work> found = new ArrayList<>();
        if (peer == null) {
            return found;
        }
        for (Entry entry : steps.descendingMap().values()) {
            for (HeldShard shard : entry.staged.values()) {
                int rank = shard.rank();
                if (!entry.ended && !entry.copied.contains(rank) && !entry.dropped.contains(rank)) {
                    found.add(new Work.Copy(shard, kept(rank)));
                }
            }
        }
        return found;
    }

    private List<Long> kept(int rank) {
        List<Long> kept = new ArrayList<>();
        steps.forEach((step, entry) -> {
            if (entry.phase != Phase.ABANDONED && entry.staged.containsKey(rank)) {
                kept.add(step);
            }
        });
        return kept;
    }

    List<Work> toStore() {
        List<Work> found = new ArrayList<>();
        List<Entry> order = new ArrayList<>();
        storing.wanted().forEach(step -> open(step).ifPresent(order::add));
        steps.descendingMap().forEach((step, entry) -> {
            if (!storing.wanted().contains(step)) {
                order.add(entry);
            }
        });
        for (Entry entry : order) {
            CheckpointId checkpoint = entry.reserved;
            if (entry.ended || checkpoint == null) {
                continue;
            }
            for (HeldShard shard : entry.staged.values()) {
                int rank = shard.rank();
                boolean peersTurn = peer != null && !entry.copied.contains(rank) && !entry.copyTried.contains(rank);
                if (!entry.stored.containsKey(rank) && !peersTurn) {
                    found.add(new Work.Store(checkpoint, shard));
                }
            }
        }
        return found;
    }

    /** Like the others below, of no effect on a step that has ended meanwhile and may be forgotten already. */
    void reserved(long step, CheckpointId checkpoint) {
        open(step).ifPresent(entry -> entry.reserved = checkpoint);
    }

    void copied(HeldShard shard) {
        open(shard.step()).ifPresent(entry -> entry.copied.add(shard.rank()));
    }

    void copyTried(HeldShard shard) {
        open(shard.step()).ifPresent(entry -> entry.copyTried.add(shard.rank()));
    }

    boolean isStored(HeldShard shard) {
        Entry entry = steps.get(shard.step());
        return entry != null && entry.stored.containsKey(shard.rank());
    }

    void stored(HeldShard shard, String path) {
        open(shard.step()).ifPresent(entry -> entry.stored.put(shard.rank(), path));
        choose();
    }

    /** Committed steps that memory keeps until they are stored, however many newer ones there are; the oldest first. */
    List<Long> pinned() {
        return storing.wanted().stream().filter(step -> !isStored(step)).toList();
    }

    boolean isStored(long step) {
        Entry entry = steps.get(step);
        return entry != null && entry.stored.size() == ranksHere;
    }

    private void choose() {
        NavigableSet<Long> committed = new TreeSet<>();
        steps.forEach((step, entry) -> {
            if (!entry.ended && entry.committed() && entry.staged.size() == ranksHere) {
                committed.add(step);
            }
        });
        storing.choose(committed, this::isStored).forEach(this::end);
    }

    private void end(long step) {
        open(step).ifPresent(entry -> entry.ended = true);
    }

    /**
     * The service has these copies; returns what a commit has made useless.
     *
     * @param durability null if it is not committed
     */
    List<HeldShard> reported(long step, List<StoredShard> told, @Nullable Durability durability) {
        Entry entry = open(step).orElse(null);
        if (entry == null) {
            return List.of();
        }
        entry.told = told;
        if (durability == null) {
            entry.phase = entry.committed() ? Phase.COMMITTED : Phase.LOCAL;
            return List.of();
        }
        entry.phase = Phase.COMMITTED;
        if (durability == Durability.DURABLE) {
            durable(step);
        }
        choose();
        steps.descendingMap().entrySet().stream()
                .filter(each -> each.getValue().committed())
                .skip(COMMITTED_STORED_LATER)
                .filter(each -> !storing.wanted().contains(each.getKey()))
                .forEach(each -> each.getValue().ended = true);
        return abandonWhere(steps.headMap(step, false), older -> !older.committed());
    }

    /** The store has all of it, from all nodes: nobody needs an older commit there. */
    private void durable(long step) {
        steps.headMap(step, true).values().stream().filter(Entry::committed).forEach(entry -> entry.ended = true);
        storing.durable();
    }

    /** Returns the shards that are of no use now; a committed step only ends. */
    List<HeldShard> abandon(long step) {
        open(step).filter(Entry::committed).ifPresent(entry -> entry.ended = true);
        choose();
        return abandonWhere(steps.subMap(step, true, step, true), entry -> !entry.committed());
    }

    /** No rank will stage anything any more: what is not whole here never will be. */
    List<HeldShard> seal() {
        return abandonWhere(steps, entry -> !entry.committed() && entry.staged.size() < ranksHere);
    }

    /** A later attempt has begun: what is not committed never will be. */
    List<HeldShard> fence() {
        return abandonWhere(steps, entry -> !entry.committed());
    }

    private List<HeldShard> abandonWhere(Map<Long, Entry> among, Predicate<Entry> hopeless) {
        List<HeldShard> given = new ArrayList<>();
        for (Entry entry : among.values()) {
            if (!entry.ended && hopeless.test(entry)) {
                given.addAll(entry.staged.values());
                entry.phase = Phase.ABANDONED;
                entry.ended = true;
            }
        }
        trim();
        return given;
    }

    /** Whether something is not in the store yet, or was not told. */
    boolean holdsUnsafe() {
        return steps.values().stream()
                .anyMatch(entry -> !entry.ended
                        && (entry.stored.size() < ranksHere || !copies(entry).equals(entry.told)));
    }

    /** Whether the service has all that there is to say of a step that goes on. */
    boolean isTold(long step) {
        return open(step).filter(entry -> copies(entry).equals(entry.told)).isPresent();
    }

    private Optional<Entry> open(long step) {
        return Optional.ofNullable(steps.get(step)).filter(entry -> !entry.ended);
    }

    private void trim() {
        List<Long> ended = steps.entrySet().stream()
                .filter(each -> each.getValue().ended)
                .map(Map.Entry::getKey)
                .toList();
        ended.subList(0, Math.max(0, ended.size() - ENDED_KEPT)).forEach(steps::remove);
    }
}
