package io.muster.scheduler.allocation;

import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.placement.PlacedMember;
import io.muster.contract.placement.PlacementState;
import io.muster.messaging.Outbox;
import io.muster.scheduler.leadership.LeaseRepository;
import io.muster.simulation.Database;
import io.muster.simulation.Fiber;
import io.muster.simulation.Kernel;
import io.muster.simulation.Life;
import io.muster.simulation.Table;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The allocations without SQL, and the real {@link PlacementLedger} on them. */
public final class Allocations {

    /** What the simulation looks at: what is about to be placed or to count as free. */
    public interface Watcher {
        void freed(PlacementState state, Set<NodeId> nodes);

        void placed(PlacementState state, boolean repaired);
    }

    private final Kernel kernel;
    private final Database database;
    private final Table<String, SequencedPlacement> placements;
    private final Table<String, String> heldGpus;
    private final Predicate<JobId> open;
    private final Rows rows = new Rows();
    private final Watcher watcher;
    private long position;

    /** @param open whether the job has not ended, as far as projected */
    public Allocations(Kernel kernel, Database database, Predicate<JobId> open, Watcher watcher) {
        this.kernel = kernel;
        this.database = database;
        this.placements = new Table<>(database);
        this.heldGpus = new Table<>(database);
        this.open = open;
        this.watcher = watcher;
    }

    public AllocationRepository repository() {
        return rows;
    }

    /** With transactions, and sometimes a long breath before the commit: a leader that stood still decides nothing any more. */
    public PlacementLedger ledger(Life life, LeaseRepository leases, Outbox outbox) {
        return new PlacementLedger(leases, rows, outbox) {
            @Override
            public CommitOutcome write(Commit commit, long epoch) {
                if (Fiber.inFiber()) {
                    int millis = kernel.chance().between(2000, 9000);
                    if (kernel.chance().once(0.5)) {
                        kernel.tell(life.name() + " stands still before its commit under epoch " + epoch);
                        life.pause(millis);
                    }
                    Fiber.<Boolean>await(answer -> life.after(millis, () -> answer.accept(true)));
                }
                return database.write(() -> super.write(commit, epoch));
            }
        };
    }

    public List<PlacementState> live() {
        return rows.live();
    }

    public boolean holds(JobId job) {
        return live().stream().anyMatch(state -> state.jobId().equals(job));
    }

    private static String key(JobId job, int generation) {
        return "%s/%06d".formatted(job.value(), generation);
    }

    @SuppressWarnings("NullAway")
    private final class Rows extends AllocationRepository {

        private Rows() {
            super((JdbcClient) null);
        }

        @Override
        public List<PlacementState> live() {
            return placements.rows().values().stream()
                    .map(SequencedPlacement::placement)
                    .filter(state -> state.endedAt() == null)
                    .toList();
        }

        @Override
        public Map<JobId, Integer> newestGenerations() {
            Map<JobId, Integer> newest = new TreeMap<>();
            placements.rows().values().stream()
                    .map(SequencedPlacement::placement)
                    .filter(state -> open.test(state.jobId()))
                    .forEach(state -> newest.merge(state.jobId(), state.generation(), Math::max));
            return newest;
        }

        @Override
        public long newestPosition() {
            return position;
        }

        @Override
        long insert(PlacementState state) {
            String key = key(state.jobId(), state.generation());
            watcher.placed(state, false);
            require(placements.get(key) == null, "a second allocation " + key);
            for (PlacedMember member : state.members()) {
                hold(key, member);
            }
            placements.put(key, new SequencedPlacement(++position, state));
            kernel.tell("placed " + state.jobId() + " g" + state.generation() + " epoch " + state.epoch() + " on "
                    + state.members().stream().map(PlacedMember::node).toList());
            return position;
        }

        private void hold(String key, PlacedMember member) {
            for (int gpu : member.gpus()) {
                String name = member.node() + "/" + gpu;
                String holder = heldGpus.get(name);
                require(holder == null, "GPU " + name + " is held by " + holder + " and placed for " + key);
                heldGpus.put(name, key);
            }
        }

        @Override
        long takeOver(PlacementState next, int from, Set<NodeId> staying) {
            String key = key(next.jobId(), next.generation());
            require(placements.get(key) == null, "a second allocation " + key);
            watcher.placed(next, true);
            int moved = 0;
            for (Map.Entry<String, String> held : List.copyOf(heldGpus.rows().entrySet())) {
                if (held.getValue().equals(key(next.jobId(), from))) {
                    heldGpus.put(held.getKey(), key);
                    moved++;
                }
            }
            int kept = 0;
            for (PlacedMember member : next.members()) {
                if (staying.contains(member.node())) {
                    kept += member.gpus().size();
                } else {
                    hold(key, member);
                }
            }
            require(
                    moved == kept,
                    "generation " + from + " of " + next.jobId() + " held " + moved + ", taken over " + kept);
            placements.put(key, new SequencedPlacement(++position, next));
            kernel.tell("repaired " + next.jobId() + " g" + next.generation() + " on "
                    + next.members().stream().map(PlacedMember::node).toList() + ", staying "
                    + staying.stream().sorted().toList());
            return position;
        }

        @Override
        long endByRepair(PlacementState state, Set<NodeId> staying, Instant moment) {
            placements.put(key(state.jobId(), state.generation()), new SequencedPlacement(++position, state));
            return position;
        }

        @Override
        long free(PlacementState state, Set<NodeId> nodes, Instant moment) {
            String key = key(state.jobId(), state.generation());
            require(placements.get(key) != null, "no allocation " + key);
            watcher.freed(state, nodes);
            List<String> gone = heldGpus.rows().entrySet().stream()
                    .filter(entry -> entry.getValue().equals(key)
                            && nodes.contains(NodeId.of(
                                    entry.getKey().substring(0, entry.getKey().indexOf('/')))))
                    .map(Map.Entry::getKey)
                    .toList();
            gone.forEach(heldGpus::remove);
            placements.put(key, new SequencedPlacement(++position, state));
            kernel.tell("freed " + state.jobId() + " g" + state.generation() + " on "
                    + nodes.stream().sorted().toList() + (state.endedAt() == null ? "" : ", ended")
                    + (state.lost().isEmpty() ? "" : ", lost " + state.lost()));
            return position;
        }

        private void require(boolean held, String broken) {
            if (!held) {
                throw new IllegalStateException(broken);
            }
        }
    }

    public Optional<PlacementState> newest(JobId job) {
        return placements.rows().values().stream()
                .map(SequencedPlacement::placement)
                .filter(state -> state.jobId().equals(job))
                .reduce((older, newer) -> newer);
    }
}
