package io.muster.simulation;

import io.muster.agent.desired.Services;
import io.muster.agent.desired.SimulatedAgent;
import io.muster.checkpoint.catalog.SimulatedCheckpointService;
import io.muster.contract.checkpoint.CheckpointState;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreRequest;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.job.JobPhase;
import io.muster.contract.job.JobState;
import io.muster.contract.node.Fitness;
import io.muster.contract.node.NodeState;
import io.muster.contract.node.PreflightVerdict;
import io.muster.contract.placement.PlacedMember;
import io.muster.contract.placement.PlacementState;
import io.muster.contract.quota.QuotaNode;
import io.muster.contract.quota.QuotaTree;
import io.muster.health.SimulatedHealthService;
import io.muster.health.node.NodeRecord;
import io.muster.job.lifecycle.Job;
import io.muster.job.lifecycle.SimulatedJobService;
import io.muster.messaging.Outbox;
import io.muster.scheduler.cycle.SimulatedScheduler;
import io.muster.simulation.Network.Weather;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One schedule: services, machines and jobs of one seed, disturbed for a while and then left in peace. It ends when
 * every job has ended, or waits for room that really is not there; if that takes too long, it is a violation like any
 * other.
 */
public final class RecoverySimulation {

    private static final int GPUS = 8;
    private static final int PEACE_AT_MOST = 900_000;

    /** How a schedule ended. */
    public record Outcome(
            long seed,
            Mutation mutation,
            @Nullable String violation,
            long digest,
            long steps,
            long millis,
            List<String> trace) {
        public boolean good() {
            return violation == null;
        }

        /** All that is needed to see it again. */
        public String report() {
            return "seed " + seed + (mutation == Mutation.NONE ? "" : " with " + mutation) + ": "
                    + (violation == null ? "all is well" : violation) + "\n  " + String.join("\n  ", trace)
                    + "\nrun it again: -Dsimulation.seed=" + seed;
        }
    }

    private final long seed;
    private final Mutation mutation;
    private final Kernel kernel;
    private final Chance chance;
    private final Network network;
    private final Invariants invariants;
    private final World world;
    private final SimulatedHealthService health;
    private final SimulatedCheckpointService checkpoints;
    private final SimulatedScheduler scheduler;
    private final SimulatedJobService jobs;
    private final List<Topic<?>> topics = new ArrayList<>();
    private final int peaceAt;

    private RecoverySimulation(long seed, Mutation mutation) {
        this.seed = seed;
        this.mutation = mutation;
        this.kernel = new Kernel(seed);
        this.chance = kernel.chance();
        this.network = new Network(kernel, weather());
        this.invariants = new Invariants(kernel);
        this.world = new World(kernel, invariants);
        this.peaceAt = chance.between(15_000, 75_000);
        this.health = new SimulatedHealthService(
                kernel, (life, database) -> topic(life, database, NodeState.class), mutation);
        this.checkpoints = new SimulatedCheckpointService(
                kernel, (life, database) -> topic(life, database, CheckpointState.class), mutation);
        this.scheduler = new SimulatedScheduler(
                kernel,
                quotas(),
                (life, database) -> topic(life, database, PlacementState.class),
                invariants,
                mutation,
                bug -> invariants.broken("the scheduler's decision thread failed: " + bug));
        this.jobs = new SimulatedJobService(
                kernel,
                new Asked(),
                (life, database) -> topic(life, database, JobState.class),
                mutation != Mutation.NEVER_LOOKS);
        invariants.watch(world);
        world.commitsLie(checkpoints::newestCommits);
        connect();
        people();
    }

    /** Runs one schedule to its end. */
    public static Outcome run(long seed, Mutation mutation) {
        Bugs.begin();
        RecoverySimulation simulation = new RecoverySimulation(seed, mutation);
        return simulation.run();
    }

    private Outcome run() {
        String violation = null;
        try {
            loop();
        } catch (Violation broken) {
            violation = broken.getMessage();
        } catch (RuntimeException bug) {
            java.io.StringWriter text = new java.io.StringWriter();
            bug.printStackTrace(new java.io.PrintWriter(text));
            violation = "a bug: " + text;
        }
        return new Outcome(
                seed,
                mutation,
                violation,
                kernel.trace().digest(),
                kernel.steps(),
                kernel.millis(),
                kernel.trace().last());
    }

    private void loop() {
        long end = peaceAt + PEACE_AT_MOST;
        long nextLook = peaceAt + 1000;
        while (kernel.step(end)) {
            String bug = Bugs.seen();
            if (bug != null) {
                invariants.broken("a service has logged an error: " + bug);
            }
            if (kernel.millis() >= nextLook) {
                nextLook = kernel.millis() + 1000;
                if (settled()) {
                    return;
                }
            }
        }
        Settled.explain(jobs.jobs(), this::placeable, scheduler.allocations().live(), world)
                .ifPresent(stuck -> invariants.broken(stuck.get()));
    }

    private Weather weather() {
        return chance.once(0.3)
                ? new Weather(0.01, 0.02, 0.02, 300)
                : new Weather(
                        chance.between(0, 15) / 100.0, 0.1, chance.between(0, 20) / 100.0, chance.between(50, 9000));
    }

    private static QuotaTree quotas() {
        return new QuotaTree(
                1,
                List.of(
                        new QuotaNode(
                                JobPlan.QUEUE.parent().orElseThrow(),
                                64,
                                null,
                                1,
                                false,
                                false,
                                false,
                                null,
                                List.of()),
                        new QuotaNode(JobPlan.QUEUE, 64, null, 1, false, false, false, null, List.of())));
    }

    private <T> Outbox topic(Life life, Database database, Class<T> type) {
        Topic<T> topic = new Topic<>(kernel, network, life, database, type, this::mutated);
        topics.add(topic);
        return topic;
    }

    private <T> T mutated(T state) {
        if (mutation == Mutation.RELEASE_ON_CANCEL
                && state instanceof JobState job
                && job.phase() == JobPhase.STOPPING
                && "CANCELLED_BY_USER".equals(job.reason())) {
            List<NodeId> all = scheduler.allocations().newest(job.jobId()).stream()
                    .flatMap(placement -> placement.members().stream())
                    .map(PlacedMember::node)
                    .toList();
            @SuppressWarnings("unchecked")
            T changed = (T) Released.all(job, all);
            return changed;
        }
        return state;
    }

    @SuppressWarnings("unchecked")
    private <T> Topic<T> topic(Class<T> type) {
        return (Topic<T>)
                topics.stream().filter(topic -> topic.carries(type)).findFirst().orElseThrow();
    }

    private void connect() {
        topic(NodeState.class).subscribe(jobs.life(), jobs.database(), (event, state) -> {
            invariants.told(state);
            jobs.node(state);
        });
        topic(PlacementState.class).subscribe(jobs.life(), jobs.database(), (event, state) -> jobs.placement(state));
        topic(CheckpointState.class).subscribe(jobs.life(), jobs.database(), (event, state) -> jobs.commit(state));
        topic(PlacementState.class)
                .subscribe(checkpoints.life(), checkpoints.database(), (event, state) -> checkpoints.placement(state));
        topic(NodeState.class)
                .subscribe(checkpoints.life(), checkpoints.database(), (event, state) -> checkpoints.node(state));
        Life intake = new Life(kernel, "scheduler-intake", () -> {});
        intake.start();
        topic(JobState.class)
                .subscribe(intake, scheduler.database(), (event, state) -> scheduler.job(state, event.sequence()));
        topic(NodeState.class).subscribe(intake, scheduler.database(), (event, state) -> {
            invariants.told(state);
            scheduler.node(state, event.sequence());
        });
        health.database().afterEachCommit(() -> invariants.nodes(health.nodes()));
        checkpoints
                .database()
                .afterEachCommit(() -> invariants.checkpoints(checkpoints.fences(), checkpoints.commits()));
        jobs.database().afterEachCommit(() -> jobs.jobs().forEach(invariants::job));
    }

    /** Machines, jobs, and everything that will befall them. */
    private void people() {
        int machines = chance.between(2, 5);
        for (int number = 1; number <= machines; number++) {
            Machine machine = new Machine(number, "rack-" + (1 + number % 2), GPUS, chance.between(-400, 400));
            SimulatedAgent agent = new SimulatedAgent(world, machine, wire(machine), mutation);
            machine.run(agent);
            world.add(machine);
            health.begin(machine.facts(kernel.instant()), number > 2 && chance.once(0.25));
        }
        services().forEach(Life::start);
        world.machines()
                .forEach(machine -> kernel.at(
                        chance.between(0, 500), () -> machine.agent().life().start()));
        int count = chance.between(1, 3);
        for (int number = 1; number <= count; number++) {
            JobPlan plan = JobPlan.drawn(number, machines, GPUS, chance);
            world.add(plan);
            kernel.at(chance.between(500, number == 1 ? 2000 : 20_000), () -> submit(plan));
        }
        scheduler.breath(chance.once(0.3) ? 0.2 : 0);
        Trouble trouble = new Trouble(kernel, world, services(), databases(), topics, jobs, invariants, peaceAt);
        trouble.plan(chance.between(0, 9));
        kernel.at(peaceAt, () -> {
            kernel.tell("peace");
            network.weather(Weather.FAIR);
            scheduler.breath(0);
            trouble.end();
        });
    }

    private Services wire(Machine machine) {
        return new Wire(network, invariants, health, jobs, checkpoints, machine);
    }

    private void submit(JobPlan plan) {
        if (!jobs.life().awake()) {
            kernel.at(1000, () -> submit(plan));
            return;
        }
        kernel.tell("submitted " + plan);
        jobs.life().guarded(() -> jobs.submit(plan.head(kernel.instant())));
    }

    private List<Life> services() {
        List<Life> all = new ArrayList<>(List.of(jobs.life(), health.life(), checkpoints.life()));
        all.addAll(scheduler.lives());
        return all;
    }

    private List<Database> databases() {
        return List.of(jobs.database(), health.database(), checkpoints.database(), scheduler.database());
    }

    private boolean settled() {
        return jobs.jobs().size() == world.plans().size()
                && Settled.explain(
                                jobs.jobs(),
                                this::placeable,
                                scheduler.allocations().live(),
                                world)
                        .isEmpty();
    }

    /** Whether there really is room for the job, by what health-service and the ledger have written. */
    private boolean placeable(Job job) {
        JobPlan plan = world.plan(job.id());
        List<PlacementState> live = scheduler.allocations().live();
        long nodes = health.nodes().stream()
                .filter(node -> node.session() > 0
                        && !node.spare()
                        && node.holds().open().isEmpty())
                .map(NodeRecord::node)
                .filter(node -> !job.holding().failedNodes().contains(node))
                .filter(node -> GPUS - used(live, node) >= plan.gpusPerNode())
                .count();
        return nodes >= plan.nodes();
    }

    private static int used(List<PlacementState> live, NodeId node) {
        return live.stream()
                .flatMap(state -> state.members().stream())
                .filter(member -> member.node().equals(node) && member.until() == null)
                .mapToInt(member -> member.gpus().size())
                .sum();
    }

    /** What job-service asks of the others. */
    private final class Asked implements SimulatedJobService.Neighbours {
        @Override
        public void restore(RestoreRequest request, Consumer<@Nullable RestoreDecision> answer) {
            Consumer<@Nullable RestoreDecision> heard = mutation == Mutation.UNKNOWN_IS_FRESH
                    ? decision -> answer.accept(Objects.requireNonNullElseGet(
                            decision, () -> new RestoreDecision(RestoreVerdict.FRESH, null, 0, List.of(), "no answer")))
                    : answer;
            network.ask(jobs.life(), checkpoints.life(), () -> true, 2000, () -> decided(request), heard);
        }

        private RestoreDecision decided(RestoreRequest request) {
            RestoreDecision decision = checkpoints.restore(request);
            invariants.restored(request, decision);
            return decision;
        }

        @Override
        public void fitness(NodeId node, Consumer<@Nullable Fitness> answer) {
            network.ask(jobs.life(), health.life(), () -> true, 2000, () -> health.fitness(node), answer);
        }

        @Override
        public void verdict(JobId job, int attempt, Consumer<@Nullable PreflightVerdict> answer) {
            network.ask(jobs.life(), health.life(), () -> true, 2000, () -> health.verdict(job, attempt), answer);
        }
    }
}
