package io.muster.checkpoint.catalog;

import io.muster.contract.checkpoint.Durability;
import static io.muster.checkpoint.catalog.Checkpoints.shard;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.muster.checkpoint.CheckpointSystem;
import io.muster.checkpoint.member.Seat;
import io.muster.contract.checkpoint.CheckpointPhase;
import io.muster.contract.checkpoint.CheckpointState;
import io.muster.contract.checkpoint.ReportShards;
import io.muster.contract.checkpoint.ReserveAnswer;
import io.muster.contract.checkpoint.ReserveCheckpoint;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreRequest;
import io.muster.contract.checkpoint.RestoreVerdict;
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
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/** The use cases on a real database, with a clock of the test's own. */
@CheckpointSystem
class ProtocolTest {

    private static final TenantId TENANT = new TenantId("research");
    private static final ProjectId PROJECT = new ProjectId("llm");
    private static final NodeId NODE = new NodeId("n1");
    private static final List<Seat> WHOLE_GANG = List.of(new Seat(1, 0, 1));

    @Autowired
    private CatalogRepository catalog;

    @Autowired
    private TransactionTemplate transactions;

    @Autowired
    private JdbcClient jdbc;

    @Autowired
    private Ids ids;

    private final TestClock clock = new TestClock();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final List<OutgoingEvent> events = Collections.synchronizedList(new ArrayList<>());
    private DecideRestore restores;
    private Reservations reservations;
    private StoreShards shards;
    private JobId job;

    @BeforeEach
    void useCases() {
        var metrics = new CheckpointMetrics(meters);
        restores = new DecideRestore(catalog, metrics, clock);
        reservations = new Reservations(catalog, metrics, new CheckpointProperties(Duration.ofMinutes(10)), ids, clock);
        shards = new StoreShards(catalog, metrics, events::add, clock);
        job = ids.newJobId();
    }

    @Test
    void aCheckpointIsCommittedWithItsLastRankAndRestored() {
        assertThat(restore(1, "latest", 3).verdict()).isEqualTo(RestoreVerdict.FRESH);
        CheckpointId id = reserved(1, 10, 3);
        assertThat(reserved(1, 10, 3)).isEqualTo(id);
        assertThat(phase(report(id, 1, 10, shard(2, "c"), shard(0, "a")))).isEqualTo(CheckpointPhase.RESERVED);
        clock.advance(Duration.ofSeconds(5));
        assertThat(phase(report(id, 1, 10, shard(1, "b")))).isEqualTo(CheckpointPhase.COMMITTED);
        // a member that did not hear the answer reports again
        assertThat(phase(report(id, 1, 10, shard(1, "b")))).isEqualTo(CheckpointPhase.COMMITTED);
        assertThat(reserved(1, 10, 3)).isEqualTo(id);

        assertThat(events).singleElement().satisfies(event -> {
            assertThat(event.type()).isEqualTo("io.muster.checkpoint.checkpoint-committed.v1");
            assertThat(event.key()).isEqualTo(job.value());
            assertThat(event.sequence()).isEqualTo(1);
            assertThat(event.data()).isEqualTo(new CheckpointState(job, TENANT, id, 1, 10, 3, 3, clock.instant(), Durability.DURABLE));
        });
        assertThat(meters.get("muster_checkpoints_committed").counter().count()).isEqualTo(1);
        assertThat(meters.get("muster_checkpoint_commit_seconds").timer().totalTime(TimeUnit.SECONDS))
                .isEqualTo(5);

        RestoreDecision decision = restore(2, "latest", 3);
        assertThat(decision.verdict()).isEqualTo(RestoreVerdict.RESTORED);
        assertThat(decision.checkpointId()).isEqualTo(id);
        assertThat(decision.step()).isEqualTo(10);
        assertThat(decision.shards())
                .containsExactly(
                        Checkpoints.of(job, id.value(), shard(0, "a")),
                        Checkpoints.of(job, id.value(), shard(1, "b")),
                        Checkpoints.of(job, id.value(), shard(2, "c")));
    }

    @Test
    void afterTheFenceNothingOfAnEarlierAttemptIsTaken() {
        restore(1, "latest", 2);
        CheckpointId id = reserved(1, 10, 2);
        report(id, 1, 10, shard(0, "a"));
        assertThat(restore(2, "latest", 2).verdict()).isEqualTo(RestoreVerdict.FRESH);
        // the last shard comes, whole as it is, too late
        assertThat(report(id, 1, 10, shard(1, "b")))
                .isInstanceOfSatisfying(
                        ShardReport.Fenced.class,
                        fenced -> assertThat(fenced.message())
                                .contains("attempt 1 of " + job + " is over: attempt 2 has begun"));
        assertThat(catalog.shards(id)).hasSize(1);
        assertThat(catalog.find(id, null, null).orElseThrow().phase()).isEqualTo(CheckpointPhase.ABANDONED);
        ReserveAnswer late = reserve(1, 20, 2);
        assertThat(late.checkpointId()).isNull();
        assertThat(late.retryable()).isFalse();
        assertThat(meters.get("muster_checkpoint_fenced").counter().count()).isEqualTo(2);
        assertThat(meters.get("muster_checkpoints_abandoned").counter().count()).isEqualTo(1);
        assertThat(events).isEmpty();
        // and the earlier attempt cannot come back
        RestoreDecision back = restore(1, "latest", 2);
        assertThat(back.verdict()).isEqualTo(RestoreVerdict.REFUSED);
        assertThat(catalog.head(job).orElseThrow().fence()).isEqualTo(2);
    }

    @Test
    void anAttemptHearsTheSameStartHoweverOftenAndWhateverItAsks() {
        restore(1, "latest", 1);
        RestoreDecision first = restore(2, "latest", 1);
        commit(2, 5, 1);
        assertThat(restore(2, "latest", 1)).isEqualTo(first);
        assertThat(restore(2, "none", 7)).isEqualTo(first);
    }

    @Test
    void theNewestIsTheLastCommittedNotTheHighestStep() {
        restore(1, "latest", 1);
        CheckpointId early = commit(1, 10, 1);
        CheckpointId high = commit(1, 100, 1);
        RestoreDecision chosen = restore(2, early.value(), 1);
        assertThat(chosen.checkpointId()).isEqualTo(early);
        assertThat(chosen.message()).contains(high.value(), "step 100", "newest commit");
        CheckpointId branch = commit(2, 20, 1);
        assertThat(catalog.find(branch, null, null).orElseThrow().parentId()).isEqualTo(early);
        assertThat(restore(3, "latest", 1).checkpointId()).isEqualTo(branch);
        assertThat(catalog.find(high, null, null).orElseThrow().phase())
                .as("never hidden or deleted")
                .isEqualTo(CheckpointPhase.COMMITTED);
    }

    @Test
    void whatAJobWasRestoredFromIsNotForgottenBeforeItsFirstCommit() {
        restore(1, "latest", 1);
        CheckpointId base = commit(1, 10, 1);
        JobId other = ids.newJobId();
        var first = decide(new RestoreRequest(other, TENANT, PROJECT, 1, base.value(), 1, List.of()));
        assertThat(first.verdict()).isEqualTo(RestoreVerdict.RESTORED);
        var second = decide(new RestoreRequest(other, TENANT, PROJECT, 2, "latest", 1, List.of()));
        assertThat(second.checkpointId()).isEqualTo(base);
        assertThat(second.shards()).hasSize(1);
        var third = decide(new RestoreRequest(other, TENANT, PROJECT, 3, "none", 1, List.of()));
        assertThat(third.verdict()).isEqualTo(RestoreVerdict.FRESH);
    }

    @Test
    void anotherProjectsCheckpointIsNotThere() {
        restore(1, "latest", 1);
        CheckpointId base = commit(1, 10, 1);
        var foreign = decide(new RestoreRequest(ids.newJobId(), new TenantId("other"), PROJECT, 1, base.value(), 1, List.of()));
        assertThat(foreign.verdict()).isEqualTo(RestoreVerdict.REFUSED);
        assertThat(foreign.message()).contains("no such checkpoint");
        var sibling = decide(new RestoreRequest(ids.newJobId(), TENANT, new ProjectId("vision"), 1, base.value(), 1, List.of()));
        assertThat(sibling.verdict()).isEqualTo(RestoreVerdict.REFUSED);
        var stolen = decide(new RestoreRequest(job, new TenantId("other"), PROJECT, 2, "latest", 1, List.of()));
        assertThat(stolen.verdict()).isEqualTo(RestoreVerdict.REFUSED);
        assertThat(catalog.head(job).orElseThrow().fence()).isEqualTo(1);
    }

    @Test
    void aRefusedAttemptSavesNothingAndStillEndsTheOneBefore() {
        restore(1, "latest", 2);
        commit(1, 10, 2);
        assertThat(restore(2, "latest", 3).verdict()).isEqualTo(RestoreVerdict.REFUSED);
        assertThat(reserve(2, 20, 3).refusal()).contains("may not start");
        assertThat(reserve(1, 20, 2).refusal()).contains("is over");
    }

    @Test
    void aCommitOvertakesUnfinishedOnesOfLowerSteps() {
        restore(1, "latest", 2);
        CheckpointId slow = reserved(1, 10, 2);
        report(slow, 1, 10, shard(0, "a"));
        CheckpointId next = reserved(1, 30, 2);
        commit(1, 20, 2);
        assertThat(phase(report(slow, 1, 10, shard(1, "b")))).isEqualTo(CheckpointPhase.ABANDONED);
        assertThat(catalog.find(slow, null, null).orElseThrow().reason()).contains("overtaken by", "step 20");
        assertThat(phase(report(next, 1, 30, shard(0, "a"), shard(1, "b")))).isEqualTo(CheckpointPhase.COMMITTED);
        assertThat(reserve(1, 15, 2).refusal()).contains("step 15 is not after step 30");
    }

    @Test
    void whatIsNotWholeByItsDeadlineIsAbandoned() {
        restore(1, "latest", 2);
        CheckpointId id = reserved(1, 10, 2);
        report(id, 1, 10, shard(0, "a"));
        clock.advance(Duration.ofMinutes(10).minusMillis(1));
        sweep();
        assertThat(catalog.find(id, null, null).orElseThrow().phase()).isEqualTo(CheckpointPhase.RESERVED);
        clock.advance(Duration.ofMillis(1));
        sweep();
        assertThat(catalog.find(id, null, null).orElseThrow().phase()).isEqualTo(CheckpointPhase.ABANDONED);
        assertThat(phase(report(id, 1, 10, shard(1, "b")))).isEqualTo(CheckpointPhase.ABANDONED);
        assertThat(reserve(1, 10, 2).refusal()).contains("was abandoned: not whole within 600 s");
        assertThat(events).isEmpty();
    }

    @Test
    void aReportThatDoesNotFitChangesNothing() {
        restore(1, "latest", 2);
        CheckpointId id = reserved(1, 10, 2);
        report(id, 1, 10, shard(0, "a"));
        assertThat(report(id, 1, 10, shard(0, "other"), shard(1, "b"))).isInstanceOf(ShardReport.Conflict.class);
        assertThat(report(id, 1, 10, shard(2, "c"))).isInstanceOf(ShardReport.Malformed.class);
        assertThat(report(id, 1, 11, shard(1, "b"))).isInstanceOf(ShardReport.Unknown.class);
        assertThat(report(new CheckpointId("chk_00000000"), 1, 10, shard(1, "b")))
                .isInstanceOf(ShardReport.Unknown.class);
        assertThat(catalog.shards(id)).hasSize(1);
        CheckpointId done = commit(1, 20, 2);
        assertThat(report(done, 1, 20, shard(0, "other"))).isInstanceOf(ShardReport.Conflict.class);
    }

    @Test
    void ofTheLastTwoShardsAtOnceExactlyOneCommits() throws Exception {
        restore(1, "latest", 4);
        for (int round = 1; round <= 25; round++) {
            long step = round * 10L;
            CheckpointId id = reserved(1, step, 4);
            List<Callable<CheckpointPhase>> members = IntStream.range(0, 4)
                    .<Callable<CheckpointPhase>>mapToObj(rank ->
                            () -> phase(report(id, 1, step, shard(rank, "x" + step))))
                    .toList();
            assertThat(atOnce(members))
                    .filteredOn(phase -> phase == CheckpointPhase.COMMITTED)
                    .hasSize(1);
            assertThat(events).hasSize(round);
        }
        assertThat(events)
                .extracting(OutgoingEvent::sequence)
                .isEqualTo(LongStream.rangeClosed(1, 25).boxed().toList());
    }

    @Test
    void membersThatReserveAtOnceGetOneCheckpoint() throws Exception {
        restore(1, "latest", 8);
        for (int round = 1; round <= 10; round++) {
            long step = round;
            List<Callable<CheckpointId>> members = Collections.nCopies(8, () -> reserved(1, step, 8));
            assertThat(new HashSet<>(atOnce(members))).hasSize(1);
        }
    }

    static LongStream seeds() {
        return LongStream.range(0, 25);
    }

    /** Members, late attempts, duplicates and the sweep in any order; the invariants after every single step. */
    @ParameterizedTest
    @MethodSource("seeds")
    void theInvariantsHoldInAnyOrderOfWhatMembersDo(long seed) {
        var random = new Random(seed);
        var invariants = new ProtocolInvariants(jdbc, job);
        var life = new JobLife(random, invariants);
        for (int i = 0; i < 150; i++) {
            life.step();
            invariants.check(true);
        }
        assertThat(events).extracting(OutgoingEvent::sequence).isEqualTo(invariants.orders());
    }

    /** The same with eight threads at once; the invariants while they run and at the end. */
    @ParameterizedTest
    @MethodSource("fewSeeds")
    void theInvariantsHoldWhenEverythingHappensAtOnce(long seed) throws Exception {
        var invariants = new ProtocolInvariants(jdbc, job);
        var told = new ProtocolInvariants(jdbc, job);
        List<Callable<Integer>> members = IntStream.range(0, 8)
                .<Callable<Integer>>mapToObj(member -> () -> {
                    var life = new JobLife(new Random(seed * 31 + member), told);
                    for (int i = 0; i < 60; i++) {
                        life.step();
                    }
                    return member;
                })
                .toList();
        try (var watch = Executors.newSingleThreadExecutor()) {
            var running = new AtomicBoolean(true);
            Future<?> watching = watch.submit(() -> {
                while (running.get()) {
                    invariants.check(false);
                }
            });
            atOnce(members);
            running.set(false);
            watching.get();
        }
        invariants.check(false);
        assertThat(events.stream().map(OutgoingEvent::sequence).sorted().toList())
                .isEqualTo(invariants.orders());
    }

    static LongStream fewSeeds() {
        return LongStream.range(0, 6);
    }

    /** One job's members, all confused. */
    private final class JobLife {

        private static final int RANKS = 3;

        private final Random random;
        private final ProtocolInvariants told;

        JobLife(Random random, ProtocolInvariants told) {
            this.random = random;
            this.told = told;
        }

        void step() {
            int fence = catalog.head(job).map(JobHead::fence).orElse(0);
            switch (random.nextInt(16)) {
                case 0 -> restoreSomething(Math.max(1, fence + random.nextInt(4) - 2));
                case 1 -> {
                    clock.advance(Duration.ofMinutes(random.nextInt(4)));
                    sweep();
                }
                case 2, 3, 4, 5 -> reserve(Math.max(1, fence - random.nextInt(2) + random.nextInt(2)), step0(), RANKS);
                default -> reportSomething();
            }
        }

        private void restoreSomething(int attempt) {
            List<Checkpoint> known = catalog.ofJob(job, null, 50);
            String resumeFrom = switch (random.nextInt(6)) {
                case 0 -> "none";
                case 1 ->
                    known.isEmpty()
                            ? "latest"
                            : known.get(random.nextInt(known.size())).id().value();
                default -> "latest";
            };
            RestoreDecision decision = restore(attempt, resumeFrom, random.nextInt(10) == 0 ? RANKS + 1 : RANKS);
            if (!decision.message().contains("is over")) {
                synchronized (told) {
                    told.told(attempt, decision);
                }
            }
        }

        private void reportSomething() {
            List<Checkpoint> known = catalog.ofJob(job, null, 4);
            if (known.isEmpty()) {
                return;
            }
            Checkpoint one = known.get(random.nextInt(known.size()));
            List<StoredShard> some = new ArrayList<>();
            for (int rank = 0; rank < one.worldSize(); rank++) {
                if (random.nextInt(3) > 0) {
                    some.add(shard(rank, random.nextInt(30) == 0 ? "torn" : "whole"));
                }
            }
            report(one.id(), one.attempt(), one.step(), some.toArray(StoredShard[]::new));
        }

        private long step0() {
            return 1
                    + random.nextInt(8)
                    + catalog.newestCommit(job).map(Checkpoint::step).orElse(0L);
        }
    }

    private CheckpointId commit(int attempt, long step, int worldSize) {
        CheckpointId id = reserved(attempt, step, worldSize);
        StoredShard[] all = IntStream.range(0, worldSize)
                .mapToObj(rank -> shard(rank, "s" + step))
                .toArray(StoredShard[]::new);
        assertThat(phase(report(id, attempt, step, all))).isEqualTo(CheckpointPhase.COMMITTED);
        return id;
    }

    private RestoreDecision restore(int attempt, String resumeFrom, int worldSize) {
        return decide(new RestoreRequest(job, TENANT, PROJECT, attempt, resumeFrom, worldSize, List.of()));
    }

    private RestoreDecision decide(RestoreRequest request) {
        return inTransaction(() -> restores.decide(request));
    }

    private ReserveAnswer reserve(int attempt, long step, int worldSize) {
        return inTransaction(() -> reservations.reserve(new ReserveCheckpoint(job, attempt, step, worldSize)));
    }

    private CheckpointId reserved(int attempt, long step, int worldSize) {
        ReserveAnswer answer = reserve(attempt, step, worldSize);
        assertThat(answer.checkpointId()).as(String.valueOf(answer.refusal())).isNotNull();
        return answer.checkpointId();
    }

    private ShardReport report(CheckpointId id, int attempt, long step, StoredShard... stored) {
        List<StoredShard> placed = Stream.of(stored)
                .map(shard -> Checkpoints.of(job, id.value(), shard))
                .toList();
        return inTransaction(() -> shards.take(id, new ReportShards(job, attempt, step, placed), NODE, WHOLE_GANG));
    }

    private void sweep() {
        transactions.executeWithoutResult(status -> reservations.abandonOverdue());
    }

    private <T> T inTransaction(Supplier<T> work) {
        return transactions.execute(status -> work.get());
    }

    private static CheckpointPhase phase(ShardReport report) {
        assertThat(report).isInstanceOf(ShardReport.Taken.class);
        return ((ShardReport.Taken) report).answer().phase();
    }

    private static <T> List<T> atOnce(List<Callable<T>> work) throws Exception {
        var start = new CountDownLatch(1);
        try (var pool = Executors.newFixedThreadPool(work.size())) {
            List<Future<T>> futures = new ArrayList<>();
            for (Callable<T> one : work) {
                futures.add(pool.submit(() -> {
                    start.await();
                    return one.call();
                }));
            }
            start.countDown();
            List<T> results = new ArrayList<>();
            for (Future<T> future : futures) {
                results.add(future.get());
            }
            return results;
        }
    }

    /** Whole milliseconds, as the database keeps them exactly. */
    private static final class TestClock extends Clock {

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
