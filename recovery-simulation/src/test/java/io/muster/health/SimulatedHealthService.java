package io.muster.health;

import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.node.Fitness;
import io.muster.contract.node.Heartbeat;
import io.muster.contract.node.HeartbeatAnswer;
import io.muster.contract.node.NodeFacts;
import io.muster.contract.node.PreflightReport;
import io.muster.contract.node.PreflightVerdict;
import io.muster.contract.node.Registration;
import io.muster.edge.id.Ids;
import io.muster.edge.problem.ProblemException;
import io.muster.health.check.SilentLedger;
import io.muster.health.heartbeat.Listening;
import io.muster.health.heartbeat.Watches;
import io.muster.health.lease.Bench;
import io.muster.health.lease.IncidentJournal;
import io.muster.health.lease.JudgeDuty;
import io.muster.health.lease.OpenIncidents;
import io.muster.health.node.NodeRecord;
import io.muster.health.node.NodeRows;
import io.muster.health.node.NodeWatcher;
import io.muster.health.node.Nodes;
import io.muster.health.preflight.Rulings;
import io.muster.health.query.Looked;
import io.muster.health.registry.Door;
import io.muster.messaging.Outbox;
import io.muster.simulation.Database;
import io.muster.simulation.Kernel;
import io.muster.simulation.Life;
import io.muster.simulation.Mutation;
import io.muster.simulation.Several;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * health-service on a virtual clock: its own registrar, intake of heartbeats, judge with all duties, preflight court and
 * answers, over tables in memory. What it knows only in memory is lost with its process.
 */
public final class SimulatedHealthService {

    private static final int SWEEP = 250;

    private final Kernel kernel;
    private final Life life;
    private final Database database = new Database();
    private final NodeRows rows = new NodeRows(database);
    private final IncidentJournal incidents = new OpenIncidents();
    private final Bench bench;
    private final Rulings rulings = new Rulings(database);
    private final Ids ids;
    private final Outbox topic;
    private final Mutation mutation;
    private Bench.@Nullable Sitting sitting;
    private Listening.@Nullable Ear ear;
    private Rulings.@Nullable Court court;
    private @Nullable Door door;
    private @Nullable Looked looked;

    public SimulatedHealthService(Kernel kernel, BiFunction<Life, Database, Outbox> topic, Mutation mutation) {
        this.kernel = kernel;
        this.mutation = mutation;
        this.bench = new Bench(kernel, database);
        this.ids = new Ids(kernel.clock(), kernel.chance());
        this.life = new Life(kernel, "health-service", this::boot);
        this.topic = topic.apply(life, database);
    }

    private void boot() {
        List<NodeWatcher> watchers = new ArrayList<>();
        Nodes nodes = rows.nodes(topic, ids, kernel.clock(), new Several<>(watchers));
        Watches watches = Listening.watches();
        sitting = bench.sit(ids, watches);
        Listening listening = new Listening(sitting, watches);
        watchers.add(listening.watches);
        SilentLedger ledger = new SilentLedger();
        court = rulings.court(nodes, ledger, listening.watches, sitting, ids, kernel);
        List<JudgeDuty> duties = List.of(
                listening.watches,
                listening.evictions(nodes, incidents, database, ids, kernel.clock()),
                court.duty(),
                listening.expiries(nodes));
        sitting.begin(nodes, duties);
        ear = listening.ear(nodes, ledger, court.probes(), kernel);
        door = new Door(nodes, listening.credentials, sitting, database, kernel);
        looked = new Looked(nodes, ledger, sitting, incidents, kernel.clock());
        life.after(SWEEP, this::sweep);
        turn();
    }

    private void sweep() {
        sitting.sweep();
        life.after(SWEEP, this::sweep);
    }

    private void turn() {
        sitting.turn();
        life.after(SWEEP, this::turn);
    }

    public Life life() {
        return life;
    }

    public Database database() {
        return database;
    }

    public void begin(NodeFacts facts, boolean spare) {
        rows.begin(NodeRecord.joined(facts, kernel.instant()).withSpare(spare));
    }

    /** Only the judge answers agents; who is refused by a fence hears nothing usable. */
    private <A> @Nullable A asJudge(Supplier<@Nullable A> work) {
        if (!sitting.seat.judging()) {
            return null;
        }
        try {
            return work.get();
        } catch (ProblemException refused) {
            return null;
        }
    }

    public @Nullable Registration register(NodeFacts facts) {
        return asJudge(() -> door.register(facts.node(), facts));
    }

    public @Nullable Registration join(NodeFacts facts) {
        return asJudge(() -> door.join(facts));
    }

    public @Nullable HeartbeatAnswer heartbeat(NodeId node, Heartbeat beat) {
        if (mutation == Mutation.DEAF_JUDGE && kernel.chance().once(0.8)) {
            return new HeartbeatAnswer(false, false, List.of(), kernel.instant(), null);
        }
        return asJudge(() -> ear.take(node, beat));
    }

    /** Null: try again; false: never again. */
    public @Nullable Boolean preflight(NodeId node, PreflightReport report) {
        return asJudge(() -> court.report(node, report));
    }

    public PreflightVerdict verdict(JobId job, int attempt) {
        return court.verdict(job, attempt);
    }

    public Fitness fitness(NodeId node) {
        return looked.fitness(node);
    }

    public Optional<NodeRecord> node(NodeId node) {
        return rows.find(node);
    }

    public List<NodeRecord> nodes() {
        return rows.all();
    }
}
