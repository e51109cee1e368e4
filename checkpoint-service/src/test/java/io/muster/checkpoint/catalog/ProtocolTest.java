package io.muster.checkpoint.catalog;

import static io.muster.checkpoint.catalog.Checkpoints.shard;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.checkpoint.CheckpointSystem;
import io.muster.contract.checkpoint.CheckpointPhase;
import io.muster.contract.checkpoint.CheckpointState;
import io.muster.contract.checkpoint.Durability;
import io.muster.contract.checkpoint.ReserveAnswer;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreRequest;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.TenantId;
import io.muster.messaging.OutgoingEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The use cases on a real database, with a clock of the test's own. */
@CheckpointSystem
class ProtocolTest {

    @Autowired
    private ApplicationContext context;

    @Autowired
    private CatalogRepository catalog;

    @Autowired
    private ShardRepository shards;

    @Autowired
    private JdbcClient jdbc;

    private Gang.Parts parts;
    private Gang gang;
    private JobId job;

    @BeforeEach
    void newJob() {
        parts = Gang.Parts.of(context);
        gang = new Gang(parts);
        job = gang.job;
    }

    @Test
    void aCheckpointIsCommittedWithItsLastRankAndRestored() {
        assertThat(gang.restore(1, "latest", 3).verdict()).isEqualTo(RestoreVerdict.FRESH);
        CheckpointId id = gang.reserved(1, 10, 3);
        assertThat(gang.reserved(1, 10, 3)).isEqualTo(id);
        assertThat(Gang.phase(gang.report(id, 1, 10, shard(2, "c"), shard(0, "a"))))
                .isEqualTo(CheckpointPhase.RESERVED);
        gang.clock.advance(Duration.ofSeconds(5));
        assertThat(Gang.phase(gang.report(id, 1, 10, shard(1, "b")))).isEqualTo(CheckpointPhase.COMMITTED);
        // a member that did not hear the answer reports again
        assertThat(Gang.phase(gang.report(id, 1, 10, shard(1, "b")))).isEqualTo(CheckpointPhase.COMMITTED);
        assertThat(gang.reserved(1, 10, 3)).isEqualTo(id);

        assertThat(gang.events).singleElement().satisfies(event -> {
            assertThat(event.type()).isEqualTo("io.muster.checkpoint.checkpoint-committed.v1");
            assertThat(event.key()).isEqualTo(job.value());
            assertThat(event.sequence()).isEqualTo(1);
            assertThat(event.data())
                    .isEqualTo(new CheckpointState(
                            job,
                            Gang.TENANT,
                            id,
                            1,
                            10,
                            3,
                            3,
                            gang.clock.instant().minusSeconds(5),
                            gang.clock.instant(),
                            Durability.DURABLE,
                            List.of()));
        });
        assertThat(gang.meters.get("muster_checkpoints_committed").counter().count())
                .isEqualTo(1);
        assertThat(gang.meters
                        .get("muster_checkpoint_write_seconds")
                        .tag("durability", "DURABLE")
                        .timer()
                        .totalTime(TimeUnit.SECONDS))
                .isEqualTo(5);

        RestoreDecision decision = gang.restore(2, "latest", 3);
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
        gang.restore(1, "latest", 2);
        CheckpointId id = gang.reserved(1, 10, 2);
        gang.report(id, 1, 10, shard(0, "a"));
        assertThat(gang.restore(2, "latest", 2).verdict()).isEqualTo(RestoreVerdict.FRESH);
        // the last shard comes, whole as it is, too late
        assertThat(gang.report(id, 1, 10, shard(1, "b")))
                .isInstanceOfSatisfying(
                        ShardReport.Fenced.class,
                        fenced -> assertThat(fenced.message())
                                .contains("attempt 1 of " + job + " is over: attempt 2 has begun"));
        assertThat(shards.of(id)).hasSize(1);
        assertThat(catalog.find(id, null, null).orElseThrow().phase()).isEqualTo(CheckpointPhase.ABANDONED);
        ReserveAnswer late = gang.reserve(1, 20, 2);
        assertThat(late.checkpointId()).isNull();
        assertThat(late.retryable()).isFalse();
        assertThat(gang.meters.get("muster_checkpoint_fenced").counter().count())
                .isEqualTo(2);
        assertThat(gang.meters.get("muster_checkpoints_abandoned").counter().count())
                .isEqualTo(1);
        assertThat(gang.events).isEmpty();
        // and the earlier attempt cannot come back
        RestoreDecision back = gang.restore(1, "latest", 2);
        assertThat(back.verdict()).isEqualTo(RestoreVerdict.REFUSED);
        assertThat(catalog.head(job).orElseThrow().fence()).isEqualTo(2);
    }

    @Test
    void anAttemptHearsTheSameStartHoweverOftenAndWhateverItAsks() {
        gang.restore(1, "latest", 1);
        RestoreDecision first = gang.restore(2, "latest", 1);
        gang.commit(2, 5, 1);
        assertThat(gang.restore(2, "latest", 1)).isEqualTo(first);
        assertThat(gang.restore(2, "none", 7)).isEqualTo(first);
    }

    @Test
    void theNewestIsTheLastCommittedNotTheHighestStep() {
        gang.restore(1, "latest", 1);
        CheckpointId early = gang.commit(1, 10, 1);
        CheckpointId high = gang.commit(1, 100, 1);
        RestoreDecision chosen = gang.restore(2, early.value(), 1);
        assertThat(chosen.checkpointId()).isEqualTo(early);
        assertThat(chosen.message()).contains(high.value(), "step 100", "newest commit");
        CheckpointId branch = gang.commit(2, 20, 1);
        assertThat(catalog.find(branch, null, null).orElseThrow().parentId()).isEqualTo(early);
        assertThat(gang.restore(3, "latest", 1).checkpointId()).isEqualTo(branch);
        assertThat(catalog.find(high, null, null).orElseThrow().phase())
                .as("never hidden or deleted")
                .isEqualTo(CheckpointPhase.COMMITTED);
    }

    @Test
    void whatAJobWasRestoredFromIsNotForgottenBeforeItsFirstCommit() {
        gang.restore(1, "latest", 1);
        CheckpointId base = gang.commit(1, 10, 1);
        JobId other = parts.ids().newJobId();
        var first = gang.decide(new RestoreRequest(other, Gang.TENANT, Gang.PROJECT, 1, base.value(), 1, List.of()));
        assertThat(first.verdict()).isEqualTo(RestoreVerdict.RESTORED);
        var second = gang.decide(new RestoreRequest(other, Gang.TENANT, Gang.PROJECT, 2, "latest", 1, List.of()));
        assertThat(second.checkpointId()).isEqualTo(base);
        assertThat(second.shards()).hasSize(1);
        var third = gang.decide(new RestoreRequest(other, Gang.TENANT, Gang.PROJECT, 3, "none", 1, List.of()));
        assertThat(third.verdict()).isEqualTo(RestoreVerdict.FRESH);
    }

    @Test
    void anotherProjectsCheckpointIsNotThere() {
        gang.restore(1, "latest", 1);
        CheckpointId base = gang.commit(1, 10, 1);
        var foreign = gang.decide(new RestoreRequest(
                parts.ids().newJobId(), new TenantId("other"), Gang.PROJECT, 1, base.value(), 1, List.of()));
        assertThat(foreign.verdict()).isEqualTo(RestoreVerdict.REFUSED);
        assertThat(foreign.message()).contains("no such checkpoint");
        var sibling = gang.decide(new RestoreRequest(
                parts.ids().newJobId(), Gang.TENANT, new ProjectId("vision"), 1, base.value(), 1, List.of()));
        assertThat(sibling.verdict()).isEqualTo(RestoreVerdict.REFUSED);
        var stolen =
                gang.decide(new RestoreRequest(job, new TenantId("other"), Gang.PROJECT, 2, "latest", 1, List.of()));
        assertThat(stolen.verdict()).isEqualTo(RestoreVerdict.REFUSED);
        assertThat(catalog.head(job).orElseThrow().fence()).isEqualTo(1);
    }

    @Test
    void aRefusedAttemptSavesNothingAndStillEndsTheOneBefore() {
        gang.restore(1, "latest", 2);
        gang.commit(1, 10, 2);
        assertThat(gang.restore(2, "latest", 3).verdict()).isEqualTo(RestoreVerdict.REFUSED);
        assertThat(gang.reserve(2, 20, 3).refusal()).contains("may not start");
        assertThat(gang.reserve(1, 20, 2).refusal()).contains("is over");
    }

    @Test
    void aCommitOvertakesUnfinishedOnesOfLowerSteps() {
        gang.restore(1, "latest", 2);
        CheckpointId slow = gang.reserved(1, 10, 2);
        gang.report(slow, 1, 10, shard(0, "a"));
        CheckpointId next = gang.reserved(1, 30, 2);
        gang.commit(1, 20, 2);
        assertThat(Gang.phase(gang.report(slow, 1, 10, shard(1, "b")))).isEqualTo(CheckpointPhase.ABANDONED);
        assertThat(catalog.find(slow, null, null).orElseThrow().reason()).contains("overtaken by", "step 20");
        assertThat(Gang.phase(gang.report(next, 1, 30, shard(0, "a"), shard(1, "b"))))
                .isEqualTo(CheckpointPhase.COMMITTED);
        assertThat(gang.reserve(1, 15, 2).refusal()).contains("step 15 is not after step 30");
    }

    @Test
    void whatIsNotWholeByItsDeadlineIsAbandoned() {
        gang.restore(1, "latest", 2);
        CheckpointId id = gang.reserved(1, 10, 2);
        gang.report(id, 1, 10, shard(0, "a"));
        gang.clock.advance(Duration.ofMinutes(10).minusMillis(1));
        gang.sweep();
        assertThat(catalog.find(id, null, null).orElseThrow().phase()).isEqualTo(CheckpointPhase.RESERVED);
        gang.clock.advance(Duration.ofMillis(1));
        gang.sweep();
        assertThat(catalog.find(id, null, null).orElseThrow().phase()).isEqualTo(CheckpointPhase.ABANDONED);
        assertThat(Gang.phase(gang.report(id, 1, 10, shard(1, "b")))).isEqualTo(CheckpointPhase.ABANDONED);
        assertThat(gang.reserve(1, 10, 2).refusal()).contains("was abandoned: not whole within 600 s");
        assertThat(gang.events).isEmpty();
    }

    @Test
    void aReportThatDoesNotFitChangesNothing() {
        gang.restore(1, "latest", 2);
        CheckpointId id = gang.reserved(1, 10, 2);
        gang.report(id, 1, 10, shard(0, "a"));
        assertThat(gang.report(id, 1, 10, shard(0, "other"), shard(1, "b"))).isInstanceOf(ShardReport.Conflict.class);
        assertThat(gang.report(id, 1, 10, shard(2, "c"))).isInstanceOf(ShardReport.Malformed.class);
        assertThat(gang.report(id, 1, 11, shard(1, "b"))).isInstanceOf(ShardReport.Unknown.class);
        assertThat(gang.report(new CheckpointId("chk_00000000"), 1, 10, shard(1, "b")))
                .isInstanceOf(ShardReport.Unknown.class);
        assertThat(shards.of(id)).hasSize(1);
        CheckpointId done = gang.commit(1, 20, 2);
        assertThat(gang.report(done, 1, 20, shard(0, "other"))).isInstanceOf(ShardReport.Conflict.class);
    }

    @Test
    void ofTheLastTwoShardsAtOnceExactlyOneCommits() throws Exception {
        gang.restore(1, "latest", 4);
        for (int round = 1; round <= 25; round++) {
            long step = round * 10L;
            CheckpointId id = gang.reserved(1, step, 4);
            List<Callable<CheckpointPhase>> members = IntStream.range(0, 4)
                    .<Callable<CheckpointPhase>>mapToObj(rank ->
                            () -> Gang.phase(gang.report(id, 1, step, shard(rank, "x" + step))))
                    .toList();
            assertThat(atOnce(members))
                    .filteredOn(phase -> phase == CheckpointPhase.COMMITTED)
                    .hasSize(1);
            assertThat(gang.events).hasSize(round);
        }
        assertThat(gang.events)
                .extracting(OutgoingEvent::sequence)
                .isEqualTo(LongStream.rangeClosed(1, 25).boxed().toList());
    }

    @Test
    void membersThatReserveAtOnceGetOneCheckpoint() throws Exception {
        gang.restore(1, "latest", 8);
        for (int round = 1; round <= 10; round++) {
            long step = round;
            List<Callable<CheckpointId>> members = Collections.nCopies(8, () -> gang.reserved(1, step, 8));
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
        var life = new JobLife(random, invariants, true);
        for (int i = 0; i < 150; i++) {
            life.step();
            invariants.check(true);
        }
        invariants.checkEvents(gang.events);
    }

    /** The same with eight threads at once; the invariants while they run and at the end. */
    @ParameterizedTest
    @MethodSource("fewSeeds")
    void theInvariantsHoldWhenEverythingHappensAtOnce(long seed) throws Exception {
        var invariants = new ProtocolInvariants(jdbc, job);
        var told = new ProtocolInvariants(jdbc, job);
        List<Callable<Integer>> members = IntStream.range(0, 8)
                .<Callable<Integer>>mapToObj(member -> () -> {
                    var life = new JobLife(new Random(seed * 31 + member), told, false);
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
        gang.events.sort(Comparator.comparingLong(OutgoingEvent::sequence));
        invariants.checkEvents(gang.events);
    }

    static LongStream fewSeeds() {
        return LongStream.range(0, 6);
    }

    /** One job's members, all confused. */
    private final class JobLife {

        private static final int RANKS = 3;
        private static final List<String> NODES = List.of("life-1", "life-2", "life-3", "life-4");

        private final Random random;
        private final ProtocolInvariants told;
        private final boolean alone;

        JobLife(Random random, ProtocolInvariants told, boolean alone) {
            this.random = random;
            this.told = told;
            this.alone = alone;
        }

        void step() {
            int fence = catalog.head(job).map(JobHead::fence).orElse(0);
            switch (random.nextInt(20)) {
                case 0, 7 -> restoreSomething(Math.max(1, fence + random.nextInt(4) - 2));
                case 1 -> {
                    gang.clock.advance(Duration.ofMinutes(random.nextInt(4)));
                    gang.sweep();
                }
                case 2, 3, 4, 5 ->
                    gang.reserve(Math.max(1, fence - random.nextInt(2) + random.nextInt(2)), step0(), RANKS);
                case 6 -> changeANode();
                default -> reportSomething();
            }
        }

        private void changeANode() {
            int node = random.nextInt(NODES.size());
            gang.node(
                    NODES.get(node),
                    1 + random.nextInt(2),
                    "r" + node % 2,
                    random.nextInt(4) == 0 ? "LEASE_EXPIRED" : null);
        }

        private void restoreSomething(int attempt) {
            List<Checkpoint> known = catalog.ofJob(job, null, 50);
            String resumeFrom = switch (random.nextInt(6)) {
                case 0 -> "none";
                case 1 -> known.isEmpty() ? "latest" : one(known).id().value();
                default -> "latest";
            };
            CheckpointId[] damaged = random.nextInt(2) == 0 ? new CheckpointId[0] : damaged(known);
            RestoreDecision decision =
                    gang.restore(attempt, resumeFrom, random.nextInt(10) == 0 ? RANKS + 1 : RANKS, damaged);
            if (!decision.message().contains("is over")) {
                synchronized (told) {
                    if (alone && told.isNew(attempt)) {
                        assertThat(decision.shards())
                                .as("every rank that is restored has a copy")
                                .allMatch(shard ->
                                        shard.path() != null || !shard.holders().isEmpty());
                    }
                    told.told(attempt, decision);
                }
            }
        }

        /** What the attempt at the fence was told to start from, and one that perhaps no attempt was. */
        private CheckpointId[] damaged(List<Checkpoint> known) {
            Stream<CheckpointId> told = catalog
                    .head(job)
                    .flatMap(head -> catalog.start(job, head.fence()))
                    .map(AttemptStart::checkpointId)
                    .stream();
            return Stream.concat(told, known.stream().map(Checkpoint::id).limit(1))
                    .toArray(CheckpointId[]::new);
        }

        private Checkpoint one(List<Checkpoint> known) {
            return known.get(random.nextInt(known.size()));
        }

        private void reportSomething() {
            List<Checkpoint> known = catalog.ofJob(job, null, 4);
            if (known.isEmpty()) {
                return;
            }
            Checkpoint one = one(known);
            List<StoredShard> some = new ArrayList<>();
            for (int rank = 0; rank < one.worldSize(); rank++) {
                if (random.nextInt(3) > 0) {
                    String bytes = random.nextInt(30) == 0 ? "torn" : "whole";
                    String[] holders = NODES.stream()
                            .filter(node -> random.nextInt(2) == 0)
                            .toArray(String[]::new);
                    some.add(
                            holders.length == 0 || random.nextInt(3) == 0
                                    ? shard(rank, bytes)
                                    : Gang.held(rank, bytes, holders));
                }
            }
            gang.report(one.id(), one.attempt(), one.step(), some.toArray(StoredShard[]::new));
        }

        private long step0() {
            return 1
                    + random.nextInt(8)
                    + catalog.newestCommit(job).map(Checkpoint::step).orElse(0L);
        }
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
}
