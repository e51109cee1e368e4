package io.muster.checkpoint.catalog;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.muster.checkpoint.member.RememberedMembers;
import io.muster.checkpoint.member.Standing;
import io.muster.checkpoint.node.KnownNodes;
import io.muster.checkpoint.node.RememberedKnownNodes;
import io.muster.contract.checkpoint.CheckpointPhase;
import io.muster.contract.checkpoint.ReportShards;
import io.muster.contract.checkpoint.ReserveAnswer;
import io.muster.contract.checkpoint.ReserveCheckpoint;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreRequest;
import io.muster.contract.checkpoint.ShardsAnswer;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.node.NodeState;
import io.muster.contract.placement.PlacementState;
import io.muster.edge.id.Ids;
import io.muster.messaging.Outbox;
import io.muster.simulation.Database;
import io.muster.simulation.Kernel;
import io.muster.simulation.Life;
import io.muster.simulation.Mutation;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** checkpoint-service on a virtual clock: its own restore, reserve and commit over tables in memory. */
public final class SimulatedCheckpointService {

    private static final CheckpointMetrics METRICS = new CheckpointMetrics(new SimpleMeterRegistry());
    private static final CheckpointProperties PROPERTIES = new CheckpointProperties(Duration.ofMinutes(2));

    /** What an agent hears: the answer, or that it must not come again, or that it may. */
    public sealed interface Reply<A> {
        record Ok<A>(A body) implements Reply<A> {}

        record Fenced<A>() implements Reply<A> {}

        record Never<A>() implements Reply<A> {}

        record Later<A>() implements Reply<A> {}
    }

    /** A commit as everybody may see it. */
    public record Commit(CheckpointId id, JobId job, int attempt, long step, long version, CheckpointPhase phase) {}

    private final Kernel kernel;
    private final Life life;
    private final Database database = new Database();
    private final Catalogue catalogue;
    private final ShardTables shards;
    private final RememberedKnownNodes nodes;
    private final RememberedMembers members;
    private final Mutation mutation;
    private final Ids ids;
    private final Outbox topic;
    private @Nullable DecideRestore restore;
    private @Nullable Reservations reservations;
    private @Nullable StoreShards storeShards;

    public SimulatedCheckpointService(Kernel kernel, BiFunction<Life, Database, Outbox> topic, Mutation mutation) {
        this.kernel = kernel;
        this.mutation = mutation;
        this.catalogue = new Catalogue(database, mutation);
        this.shards = new ShardTables(database, catalogue);
        this.nodes = new RememberedKnownNodes(database);
        this.members = new RememberedMembers(database);
        this.ids = new Ids(kernel.clock(), kernel.chance());
        this.life = new Life(kernel, "checkpoint-service", this::boot);
        this.topic = topic.apply(life, database);
    }

    private void boot() {
        CheckpointEvents events = new CheckpointEvents(catalogue, topic);
        KnownNodes known = nodes.nodes();
        restore = new DecideRestore(
                catalogue,
                shards,
                known,
                new RestoreFacts(catalogue, shards, known),
                new Damage(catalogue, events, METRICS),
                METRICS,
                kernel.clock());
        reservations = new Reservations(catalogue, METRICS, PROPERTIES, ids, kernel.clock());
        storeShards = new StoreShards(catalogue, shards, known, events, METRICS, kernel.clock());
        sweep();
    }

    private void sweep() {
        database.writing(() -> reservations.abandonOverdue());
        life.after(30_000, this::sweep);
    }

    public Life life() {
        return life;
    }

    public Database database() {
        return database;
    }

    public void placement(PlacementState state) {
        members.record(state);
    }

    public void node(NodeState state) {
        nodes.record(state);
    }

    public RestoreDecision restore(RestoreRequest request) {
        RestoreDecision decision = database.write(() -> restore.decide(request));
        kernel.tell("restore " + request.jobId() + " a" + request.attempt() + " " + decision.verdict() + " "
                + decision.checkpointId() + " step " + decision.step());
        return decision;
    }

    public Reply<ReserveAnswer> reserve(NodeId node, ReserveCheckpoint request) {
        return switch (members.membership().of(request.jobId(), node)) {
            case Standing.Member member -> new Reply.Ok<>(database.write(() -> reservations.reserve(request)));
            case Standing.NotAMember stranger -> new Reply.Later<>();
        };
    }

    public Reply<ShardsAnswer> shards(NodeId node, CheckpointId id, ReportShards report) {
        return switch (members.membership().of(report.jobId(), node)) {
            case Standing.NotAMember stranger -> new Reply.Later<>();
            case Standing.Member member -> {
                catalogue.unfenced = mutation == Mutation.FENCE_IGNORED;
                ShardReport taken = database.write(() -> storeShards.take(id, report, node, member.seats()));
                catalogue.unfenced = false;
                yield switch (taken) {
                    case ShardReport.Taken(ShardsAnswer answer) -> new Reply.Ok<>(answer);
                    case ShardReport.Fenced fenced -> new Reply.Fenced<>();
                    case ShardReport.Unknown unknown -> new Reply.Never<>();
                    case ShardReport.Conflict conflict -> new Reply.Never<>();
                    case ShardReport.Elsewhere elsewhere -> new Reply.Later<>();
                    case ShardReport.Malformed malformed ->
                        throw new IllegalStateException("the agent's report is malformed: " + malformed);
                };
            }
        };
    }

    public Map<JobId, Integer> fences() {
        Map<JobId, Integer> fences = new TreeMap<>();
        catalogue.heads.rows().forEach((job, head) -> fences.put(job, head.fence()));
        return fences;
    }

    /** The places in the store of the newest commit of each job. */
    public List<List<String>> newestCommits() {
        return catalogue.heads.rows().values().stream()
                .filter(head -> head.checkpointId() != null)
                .map(head -> shards.of(head.checkpointId()).values().stream()
                        .map(ShardCopies::path)
                        .filter(Objects::nonNull)
                        .toList())
                .filter(paths -> !paths.isEmpty())
                .toList();
    }

    /** In no particular order; expired, corrupt and abandoned ones are left out unless they were committed before. */
    public List<Commit> commits() {
        return catalogue.checkpoints.rows().values().stream()
                .filter(checkpoint -> checkpoint.commitVersion() != null)
                .map(checkpoint -> new Commit(
                        checkpoint.id(),
                        checkpoint.jobId(),
                        checkpoint.attempt(),
                        checkpoint.step(),
                        Objects.requireNonNull(checkpoint.commitVersion()),
                        checkpoint.phase()))
                .toList();
    }
}
