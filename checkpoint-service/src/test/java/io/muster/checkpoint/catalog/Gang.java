package io.muster.checkpoint.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.muster.checkpoint.member.Seat;
import io.muster.checkpoint.node.KnownNodes;
import io.muster.contract.checkpoint.CheckpointPhase;
import io.muster.contract.checkpoint.Durability;
import io.muster.contract.checkpoint.ReportShards;
import io.muster.contract.checkpoint.ReserveAnswer;
import io.muster.contract.checkpoint.ReserveCheckpoint;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreRequest;
import io.muster.contract.checkpoint.ShardHolder;
import io.muster.contract.checkpoint.ShardsAnswer;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.TenantId;
import io.muster.edge.id.Ids;
import io.muster.messaging.OutgoingEvent;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/** A job's members on the real tables, each call a transaction, with a clock and an outbox of the test's own. */
final class Gang {

    static final TenantId TENANT = new TenantId("research");
    static final ProjectId PROJECT = new ProjectId("llm");
    private static final NodeId NODE = new NodeId("n1");
    private static final List<Seat> WHOLE_GANG = List.of(new Seat(1, 0, 1));

    final TestClock clock = new TestClock();
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final List<OutgoingEvent> events = Collections.synchronizedList(new ArrayList<>());
    final JobId job;
    private final Parts parts;
    private final CatalogRepository catalog;
    private final TransactionTemplate transactions;
    private final DecideRestore restores;
    private final Reservations reservations;
    private final StoreShards shards;

    /** The parts of the service that a gang talks to. */
    record Parts(
            CatalogRepository catalog,
            ShardRepository shards,
            KnownNodes nodes,
            TransactionTemplate transactions,
            JdbcClient jdbc,
            Ids ids) {

        static Parts of(ApplicationContext context) {
            return new Parts(
                    context.getBean(CatalogRepository.class),
                    context.getBean(ShardRepository.class),
                    context.getBean(KnownNodes.class),
                    context.getBean(TransactionTemplate.class),
                    context.getBean(JdbcClient.class),
                    context.getBean(Ids.class));
        }
    }

    Gang(Parts parts) {
        this(parts, parts.ids().newJobId());
    }

    /** The same job after the service was started again, or seen by another instance of it. */
    Gang(Parts parts, JobId job) {
        this.job = job;
        this.parts = parts;
        catalog = parts.catalog();
        transactions = parts.transactions();
        var metrics = new CheckpointMetrics(meters);
        var told = new CheckpointEvents(catalog, events::add);
        restores = new DecideRestore(
                catalog,
                parts.shards(),
                parts.nodes(),
                new RestoreFacts(catalog, parts.shards(), parts.nodes()),
                new Damage(catalog, told, metrics),
                metrics,
                clock);
        reservations = new Reservations(
                catalog, metrics, new CheckpointProperties(Duration.ofMinutes(10)), parts.ids(), clock);
        shards = new StoreShards(catalog, parts.shards(), parts.nodes(), told, metrics, clock);
    }

    /** As health-service told of it last. */
    void node(String name, int memory, String rack, @Nullable String evicted) {
        parts.jdbc()
                .sql("""
                        insert into known_node (node, memory, rack, power, address, port, evicted)
                        values (:node, :memory, :rack, :rack, '127.1.0.1', 7070, :evicted)
                        on conflict (node) do update
                        set memory = excluded.memory, rack = excluded.rack, power = excluded.power,
                            evicted = excluded.evicted""")
                .param("node", name)
                .param("memory", "boot " + memory)
                .param("rack", rack)
                .param("evicted", evicted)
                .update();
    }

    /** All ranks, in the store. */
    CheckpointId commit(int attempt, long step, int worldSize) {
        CheckpointId id = reserved(attempt, step, worldSize);
        StoredShard[] all = IntStream.range(0, worldSize)
                .mapToObj(rank -> Checkpoints.shard(rank, "s" + step))
                .toArray(StoredShard[]::new);
        assertThat(phase(report(id, attempt, step, all))).isEqualTo(CheckpointPhase.COMMITTED);
        return id;
    }

    /** All ranks, in the memory of these nodes. */
    CheckpointId commitInMemory(int attempt, long step, int worldSize, String... holders) {
        CheckpointId id = reserved(attempt, step, worldSize);
        ShardsAnswer answer = answer(hold(id, attempt, step, worldSize, holders));
        assertThat(answer.phase()).isEqualTo(CheckpointPhase.COMMITTED);
        assertThat(answer.durability()).isEqualTo(Durability.PEER);
        return id;
    }

    ShardReport hold(CheckpointId id, int attempt, long step, int worldSize, String... holders) {
        return report(
                id,
                attempt,
                step,
                IntStream.range(0, worldSize)
                        .mapToObj(rank -> held(rank, "s" + step, holders))
                        .toArray(StoredShard[]::new));
    }

    /** In memory only. */
    static StoredShard held(int rank, String bytes, String... holders) {
        return new StoredShard(
                rank,
                null,
                bytes.length(),
                Checkpoints.sha(bytes),
                Stream.of(holders)
                        .map(node -> new ShardHolder(new NodeId(node), null, 0))
                        .toList());
    }

    RestoreDecision restore(int attempt, String resumeFrom, int worldSize, CheckpointId... damaged) {
        return decide(new RestoreRequest(job, TENANT, PROJECT, attempt, resumeFrom, worldSize, List.of(damaged)));
    }

    RestoreDecision decide(RestoreRequest request) {
        return inTransaction(() -> restores.decide(request));
    }

    ReserveAnswer reserve(int attempt, long step, int worldSize) {
        return inTransaction(() -> reservations.reserve(new ReserveCheckpoint(job, attempt, step, worldSize)));
    }

    CheckpointId reserved(int attempt, long step, int worldSize) {
        ReserveAnswer answer = reserve(attempt, step, worldSize);
        assertThat(answer.checkpointId()).as(String.valueOf(answer.refusal())).isNotNull();
        return answer.checkpointId();
    }

    /** A path that is not null is the shard's place in the folder of this checkpoint. */
    ShardReport report(CheckpointId id, int attempt, long step, StoredShard... stored) {
        List<StoredShard> placed = Stream.of(stored)
                .map(shard -> Checkpoints.of(job, id.value(), shard))
                .toList();
        return inTransaction(() -> shards.take(id, new ReportShards(job, attempt, step, placed), NODE, WHOLE_GANG));
    }

    void sweep() {
        transactions.executeWithoutResult(status -> reservations.abandonOverdue());
    }

    Checkpoint find(CheckpointId id) {
        return catalog.find(id, null, null).orElseThrow();
    }

    <T> T inTransaction(Supplier<T> work) {
        return transactions.execute(status -> work.get());
    }

    double count(String counter) {
        return meters.get(counter).counter().count();
    }

    static ShardsAnswer answer(ShardReport report) {
        assertThat(report).isInstanceOf(ShardReport.Taken.class);
        return ((ShardReport.Taken) report).answer();
    }

    static CheckpointPhase phase(ShardReport report) {
        return answer(report).phase();
    }

    /** Whole milliseconds, as the database keeps them exactly. */
    static final class TestClock extends Clock {

        private Instant now = Instant.parse("2026-11-29T10:00:00Z");

        synchronized void advance(Duration by) {
            now = now.plus(by);
        }

        @Override
        public synchronized Instant instant() {
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }
}
