package io.muster.scheduler.cycle;

import io.muster.contract.id.JobId;
import io.muster.contract.job.JobState;
import io.muster.contract.node.NodeState;
import io.muster.contract.placement.PlacementState;
import io.muster.contract.quota.QuotaTree;
import io.muster.messaging.Outbox;
import io.muster.scheduler.allocation.Allocations;
import io.muster.scheduler.allocation.Commit;
import io.muster.scheduler.intake.ChangeSignal;
import io.muster.scheduler.intake.RememberedProjections;
import io.muster.scheduler.leadership.Leadership;
import io.muster.scheduler.leadership.SchedulerProperties;
import io.muster.scheduler.leadership.Seat;
import io.muster.scheduling.cycle.Decision;
import io.muster.simulation.Database;
import io.muster.simulation.Fiber;
import io.muster.simulation.Hidden;
import io.muster.simulation.Kernel;
import io.muster.simulation.Life;
import io.muster.simulation.Mutation;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Two instances of scheduler-service over one database: the real decision loop, memory, commits and ledger. Each has its
 * own belief about the leader's lease; now and then one stands still between its decision and its commit.
 */
public final class SimulatedScheduler {

    private static final SchedulerProperties PROPERTIES =
            new SchedulerProperties(Duration.ofSeconds(3), Duration.ofMillis(200), 64);
    private static final Method TURN = Hidden.method(DecisionLoop.class, "turn");

    private final Kernel kernel;
    private final Database database = new Database();
    private final Seat seat;
    private final RememberedProjections projections;
    private final Allocations allocations;
    private final Outbox topic;
    private final Consumer<Throwable> bug;
    private final List<Instance> instances;
    private double breath;

    public SimulatedScheduler(
            Kernel kernel,
            QuotaTree quotas,
            BiFunction<Life, Database, Outbox> topic,
            Allocations.Watcher watcher,
            Mutation mutation,
            Consumer<Throwable> bug) {
        this.kernel = kernel;
        this.bug = bug;
        this.seat = new Seat(kernel, database, mutation);
        this.projections = new RememberedProjections(database, this::holds);
        this.allocations = new Allocations(kernel, database, this::open, watcher);
        this.projections.begin(quotas);
        Life relay = new Life(kernel, "scheduler-relay", () -> {});
        relay.start();
        this.topic = topic.apply(relay, database);
        this.instances = List.of(new Instance("scheduler-a"), new Instance("scheduler-b"));
    }

    private boolean holds(JobId job) {
        return allocations.holds(job);
    }

    private boolean open(JobId job) {
        return projections.job(job).filter(state -> !state.phase().ended()).isPresent();
    }

    /** How often the leader stands still before it commits. */
    public void breath(double probability) {
        breath = probability;
    }

    public List<Life> lives() {
        return instances.stream().map(instance -> instance.life).toList();
    }

    public Database database() {
        return database;
    }

    public RememberedProjections projections() {
        return projections;
    }

    public Allocations allocations() {
        return allocations;
    }

    public void job(JobState state, long sequence) {
        projections.take(state, sequence);
        database.withCommit(this::signal);
    }

    public void node(NodeState state, long sequence) {
        projections.take(state, sequence);
        database.withCommit(this::signal);
    }

    private void signal() {
        for (Instance instance : instances) {
            instance.life.after(kernel.chance().between(0, 5), instance::turn);
        }
    }

    private final class Instance {

        private final Life life;
        private @Nullable DecisionLoop loop;
        private @Nullable Leadership belief;
        private boolean turning;

        private Instance(String name) {
            this.life = new Life(kernel, name, this::boot);
        }

        private void boot() {
            turning = false;
            belief = seat.belief(life);
            loop = new DecisionLoop(
                    projections,
                    allocations.repository(),
                    allocations.ledger(life, seat.lease(), topic),
                    belief,
                    new ChangeSignal(),
                    new Publication(),
                    new Quiet(),
                    PROPERTIES,
                    kernel.clock());
            poll();
        }

        private void poll() {
            turn();
            life.after(1000, this::poll);
        }

        private void turn() {
            if (turning || belief.epoch().isEmpty()) {
                return;
            }
            turning = true;
            DecisionLoop mine = loop;
            Runnable body = () -> {
                try {
                    Hidden.call(TURN, mine);
                } catch (RuntimeException failed) {
                    bug.accept(failed);
                } finally {
                    turning = false;
                }
            };
            if (kernel.chance().once(breath)) {
                Fiber.run(life, body);
            } else {
                body.run();
            }
        }
    }

    /** Counts nothing. */
    private static final class Quiet extends CycleMetrics {

        private Quiet() {
            super(Hidden.METERS);
        }

        @Override
        void time(Runnable cycle) {
            cycle.run();
        }

        @Override
        void wounded(Commit commit) {
            // nobody looks
        }

        @Override
        void repaired(List<PlacementState> states) {
            // nobody looks
        }

        @Override
        void committed(List<Decision> decisions) {
            // nobody looks
        }

        @Override
        void keepOnly(Published published) {
            // nobody looks
        }
    }
}
