package io.muster.checkpoint.catalog;

import static io.muster.checkpoint.catalog.Checkpoints.shard;
import static io.muster.checkpoint.catalog.Gang.held;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.checkpoint.CheckpointSystem;
import io.muster.contract.checkpoint.CheckpointPhase;
import io.muster.contract.checkpoint.CheckpointState;
import io.muster.contract.checkpoint.Durability;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.checkpoint.ShardHolder;
import io.muster.contract.checkpoint.ShardsAnswer;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.NodeId;
import io.muster.messaging.OutgoingEvent;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;

/** Copies in memory, commits that rest on them, and what becomes of both when nodes are lost. */
@CheckpointSystem
class CopiesTest {

    @Autowired
    private ApplicationContext context;

    private Gang.Parts parts;
    private Gang gang;

    @BeforeEach
    void newJob() {
        parts = Gang.Parts.of(context);
        gang = new Gang(parts);
        for (String rack : List.of("a", "b")) {
            for (int number = 1; number <= 2; number++) {
                gang.node(rack + number, 7, "rack-" + rack, null);
            }
        }
        gang.restore(1, "latest", 2);
    }

    @Test
    void twoRacksMakeACommitAndTheStoreMakesItDurable() {
        CheckpointId id = gang.reserved(1, 10, 2);
        ShardsAnswer first = Gang.answer(gang.report(id, 1, 10, held(0, "x", "a1")));
        assertThat(first.phase()).isEqualTo(CheckpointPhase.RESERVED);
        assertThat(Gang.answer(gang.report(id, 1, 10, held(1, "x", "b1", "a1"))).phase())
                .isEqualTo(CheckpointPhase.LOCAL);
        assertThat(gang.find(id).reason()).contains("rank 0 is in the memory of a1 alone");
        gang.clock.advance(Duration.ofSeconds(2));
        ShardsAnswer peer = Gang.answer(gang.report(id, 1, 10, held(0, "x", "a1", "b1")));
        assertThat(peer).isEqualTo(new ShardsAnswer(id, CheckpointPhase.COMMITTED, 2, 2, Durability.PEER));
        assertThat(gang.find(id).reason()).isNull();

        gang.clock.advance(Duration.ofSeconds(3));
        ShardsAnswer half = Gang.answer(gang.report(id, 1, 10, shard(0, "x")));
        assertThat(half.durability()).isEqualTo(Durability.PEER);
        ShardsAnswer whole = Gang.answer(gang.report(id, 1, 10, shard(1, "x")));
        assertThat(whole).isEqualTo(new ShardsAnswer(id, CheckpointPhase.COMMITTED, 2, 2, Durability.DURABLE));
        assertThat(Gang.answer(gang.report(id, 1, 10, held(1, "x", "b1"))).durability())
                .as("a late report takes nothing away")
                .isEqualTo(Durability.DURABLE);

        assertThat(gang.events).extracting(OutgoingEvent::sequence).containsExactly(1L, 2L);
        assertThat(gang.events)
                .extracting(event -> ((CheckpointState) event.data()).durability())
                .containsExactly(Durability.PEER, Durability.DURABLE);
        assertThat(gang.find(id).commitVersion()).isEqualTo(1);
        assertThat(seconds("PEER")).isEqualTo(2);
        assertThat(seconds("DURABLE")).isEqualTo(5);
        assertThat(gang.restore(2, "latest", 2).shards())
                .allSatisfy(shard -> assertThat(shard.path()).isNotNull())
                .last()
                .satisfies(shard -> assertThat(shard.holders())
                        .containsExactly(
                                new ShardHolder(new NodeId("a1"), "127.1.0.1", 7070),
                                new ShardHolder(new NodeId("b1"), "127.1.0.1", 7070)));
    }

    @Test
    void oneRackIsNotSafeUntilTheStoreHasIt() {
        CheckpointId id = gang.reserved(1, 10, 2);
        assertThat(Gang.phase(gang.hold(id, 1, 10, 2, "a1", "a2"))).isEqualTo(CheckpointPhase.LOCAL);
        assertThat(gang.find(id).reason())
                .contains("rank 0 is in the memory of a1 and a2, both in rack rack-a: one failure takes both");
        assertThat(gang.events).isEmpty();
        assertThat(Gang.answer(gang.report(id, 1, 10, shard(0, "s10"), shard(1, "s10")))
                        .durability())
                .isEqualTo(Durability.DURABLE);
    }

    @Test
    void whatIsOnlyLocalIsAbandonedLikeWhatIsReserved() {
        CheckpointId id = gang.reserved(1, 10, 2);
        gang.hold(id, 1, 10, 2, "a1");
        CheckpointId overtaking = gang.commit(1, 20, 2);
        assertThat(gang.find(id).phase()).isEqualTo(CheckpointPhase.ABANDONED);
        CheckpointId late = gang.reserved(1, 30, 2);
        gang.hold(late, 1, 30, 2, "a1");
        gang.clock.advance(Duration.ofMinutes(10));
        gang.sweep();
        assertThat(gang.find(late).phase()).isEqualTo(CheckpointPhase.ABANDONED);
        assertThat(gang.find(late).reason())
                .isEqualTo(
                        "not whole within 600 s of its reservation; not safe yet: rank 0 is in the memory of a1 alone; it"
                                + " is safe when a node of another rack has it too, or the store");
        CheckpointId fenced = gang.reserved(1, 40, 2);
        gang.hold(fenced, 1, 40, 2, "a1");
        assertThat(gang.restore(2, "latest", 2).checkpointId()).isEqualTo(overtaking);
        assertThat(gang.find(fenced).phase()).isEqualTo(CheckpointPhase.ABANDONED);
    }

    @Test
    void aCopyCountsForTheLifeOfTheAgentThatTookIt() {
        CheckpointId id = gang.reserved(1, 10, 2);
        gang.hold(id, 1, 10, 2, "a1");
        gang.node("a1", 8, "rack-a", null);
        assertThat(Gang.phase(gang.hold(id, 1, 10, 2, "b1"))).isEqualTo(CheckpointPhase.LOCAL);
        // the report of the earlier life, come late, does not bring the copy back
        assertThat(Gang.phase(gang.hold(id, 1, 10, 2, "a1", "b1"))).isEqualTo(CheckpointPhase.LOCAL);
        assertThat(Gang.phase(gang.hold(id, 1, 10, 2, "a2", "b1"))).isEqualTo(CheckpointPhase.COMMITTED);
    }

    @Test
    void aCopyOnANodeThatNobodyHasHeardOfCountsWhenItHasBeenHeardOf() {
        CheckpointId id = gang.reserved(1, 10, 2);
        assertThat(Gang.phase(gang.hold(id, 1, 10, 2, "a1", "unheard-of"))).isEqualTo(CheckpointPhase.LOCAL);
        gang.node("unheard-of", 1, "rack-b", null);
        assertThat(Gang.phase(gang.hold(id, 1, 10, 2, "a1", "unheard-of"))).isEqualTo(CheckpointPhase.COMMITTED);
        gang.node("unheard-of", 1, "rack-b", "LEASE_EXPIRED");
    }

    @Test
    void oneCopyOfEachRankIsEnoughToRestoreAndTheLostNodeIsNotNamed() {
        gang.commit(1, 10, 2);
        CheckpointId newest = gang.commitInMemory(1, 20, 2, "a1", "b1");
        gang.node("a1", 7, "rack-a", "LEASE_EXPIRED");
        RestoreDecision decision = gang.restore(2, "latest", 2);
        assertThat(decision.checkpointId()).isEqualTo(newest);
        assertThat(decision.shards()).allSatisfy(shard -> {
            assertThat(shard.path()).isNull();
            assertThat(shard.holders()).containsExactly(new ShardHolder(new NodeId("b1"), "127.1.0.1", 7070));
        });
        assertThat(gang.count("muster_checkpoint_restored_older")).isZero();
        // the attempt that was restored may tell of further copies, for the next loss
        assertThat(Gang.answer(gang.report(newest, 2, 20, shard(0, "s20"), shard(1, "s20")))
                        .durability())
                .isEqualTo(Durability.DURABLE);
        gang.node("b1", 8, "rack-b", null);
        assertThat(gang.restore(3, "latest", 2).checkpointId()).isEqualTo(newest);
    }

    @Test
    void aCommitWhoseCopiesAreAllGoneIsPassedOverSaidAndKept() {
        CheckpointId stored = gang.commit(1, 10, 2);
        gang.clock.advance(Duration.ofMinutes(90));
        CheckpointId lost = gang.commitInMemory(1, 20, 2, "a1", "b1");
        gang.node("a1", 7, "rack-a", "LEASE_EXPIRED");
        gang.node("b1", 8, "rack-b", null);
        RestoreDecision decision = gang.restore(2, "latest", 2);
        assertThat(decision.checkpointId()).isEqualTo(stored);
        assertThat(decision.message())
                .contains(
                        lost + " of step 20 (rank 0 has no copy left, it never reached the store, and a1 is lost"
                                + " (LEASE_EXPIRED), b1 has lost its memory (boot, or wiped) since it took its copy)",
                        lost + " of step 20 is the newest commit",
                        "1 h 30 min 0 s of committed work are given up");
        assertThat(gang.find(lost).phase()).isEqualTo(CheckpointPhase.COMMITTED);
        assertThat(gang.restore(2, "latest", 2)).isEqualTo(decision);
        assertThat(gang.count("muster_checkpoint_restored_older")).isEqualTo(1);
        assertThat(gang.meters
                        .get("muster_checkpoint_lost_work_seconds")
                        .timer()
                        .totalTime(TimeUnit.MINUTES))
                .isEqualTo(90);
    }

    @Test
    void freshWhenTheOnlyCommitIsGoneAndItsIdIsSaid() {
        CheckpointId lost = gang.commitInMemory(1, 20, 2, "a1", "b1");
        gang.node("a1", 8, "rack-a", null);
        gang.node("b1", 8, "rack-b", null);
        RestoreDecision decision = gang.restore(2, "latest", 2);
        assertThat(decision.verdict()).isEqualTo(RestoreVerdict.FRESH);
        assertThat(decision.message()).contains(lost.value(), "no commit of", "has no copy left");
        assertThat(gang.count("muster_checkpoint_restored_older")).isEqualTo(1);
    }

    @Test
    void agentsKeepTheNewestTwoCommitsInMemoryAndNoOlderOneIsBelievedToBeThere() {
        CheckpointId first = gang.commitInMemory(1, 10, 2, "a1", "b1");
        CheckpointId second = gang.commitInMemory(1, 20, 2, "a1", "b1");
        CheckpointId third = gang.commitInMemory(1, 30, 2, "a2", "b2");
        gang.node("a2", 8, "rack-a", null);
        gang.node("b2", 8, "rack-b", null);
        // told of once more, too late to be true
        gang.hold(first, 1, 10, 2, "a1", "b1");
        assertThat(parts.shards().holders(List.of(first, second, third))).containsOnlyKeys(second, third);
        assertThat(gang.restore(2, "latest", 2).checkpointId()).isEqualTo(second);
        RestoreDecision named = gang.restore(3, first.value(), 2);
        assertThat(named.verdict()).isEqualTo(RestoreVerdict.REFUSED);
        assertThat(named.message()).contains("neither in the store nor in the memory of any node");
    }

    @Test
    void anotherJobCannotReadFromTheMemoryOfThisOnesNodes() {
        CheckpointId inMemory = gang.commitInMemory(1, 10, 2, "a1", "b1");
        var other = new Gang(parts);
        RestoreDecision early = other.restore(1, inMemory.value(), 2);
        assertThat(early.verdict()).isEqualTo(RestoreVerdict.REFUSED);
        assertThat(early.message()).contains("only in the memory of the nodes of " + gang.job);
        gang.report(inMemory, 1, 10, shard(0, "s10"), shard(1, "s10"));
        RestoreDecision stored = new Gang(parts).restore(1, inMemory.value(), 2);
        assertThat(stored.verdict()).isEqualTo(RestoreVerdict.RESTORED);
        assertThat(stored.shards())
                .allSatisfy(shard -> assertThat(shard.holders()).isEmpty());
    }

    @Test
    void aDamagedOneIsCorruptForEverAndTheNextOlderOneIsRestored() {
        CheckpointId older = gang.commit(1, 10, 2);
        gang.clock.advance(Duration.ofHours(3).plusMinutes(5));
        CheckpointId newest = gang.commit(1, 20, 2);
        assertThat(gang.restore(2, "latest", 2).checkpointId()).isEqualTo(newest);
        RestoreDecision decision = gang.restore(3, "latest", 2, newest);
        assertThat(decision.checkpointId()).isEqualTo(older);
        assertThat(decision.message())
                .contains(
                        newest + " of step 20 (CORRUPT: attempt 2 of " + gang.job + " found no whole copy of a shard",
                        "3 h 5 min 0 s of committed work are given up");
        assertThat(gang.find(newest).phase()).isEqualTo(CheckpointPhase.CORRUPT);
        assertThat(gang.find(newest).commitVersion()).isEqualTo(2);
        assertThat(gang.events.getLast().type()).isEqualTo("io.muster.checkpoint.checkpoint-corrupt.v1");
        assertThat(gang.events.getLast().data()).isInstanceOfSatisfying(CheckpointState.class, state -> {
            assertThat(state.checkpointId()).isEqualTo(newest);
            assertThat(state.corrupt()).containsExactly(newest);
        });
        assertThat(gang.count("muster_checkpoints_corrupt")).isEqualTo(1);
        // asked again, nothing happens twice
        assertThat(gang.restore(3, "latest", 2, newest)).isEqualTo(decision);
        assertThat(gang.events).hasSize(3);
        assertThat(gang.count("muster_checkpoint_restored_older")).isEqualTo(1);
        // reports of it change nothing any more
        assertThat(gang.report(newest, 3, 20, shard(0, "s20"))).isInstanceOf(ShardReport.Unknown.class);
    }

    @Test
    void whenAllAreDamagedTheStartIsFreshAndSaysSo() {
        CheckpointId older = gang.commit(1, 10, 2);
        CheckpointId newest = gang.commit(1, 20, 2);
        gang.restore(2, "latest", 2);
        gang.restore(3, "latest", 2, newest);
        RestoreDecision decision = gang.restore(4, "latest", 2, newest, older);
        assertThat(decision.verdict()).isEqualTo(RestoreVerdict.FRESH);
        assertThat(decision.message()).contains(older.value(), newest.value(), "CORRUPT");
        assertThat(((CheckpointState) gang.events.getLast().data()).corrupt()).containsExactly(older, newest);
        CheckpointId next = gang.commit(4, 5, 2);
        assertThat(gang.restore(5, "latest", 2).checkpointId()).isEqualTo(next);
    }

    @Test
    void whatNoAttemptWasToldToStartFromIsNotDamagedByAReport() {
        CheckpointId one = gang.commit(1, 10, 2);
        assertThat(gang.restore(2, "latest", 2, one).checkpointId()).isEqualTo(one);
        var other = new Gang(parts);
        other.restore(1, "latest", 2, one);
        other.restore(2, "latest", 2, one, new CheckpointId("chk_00000000"));
        assertThat(gang.find(one).phase()).isEqualTo(CheckpointPhase.COMMITTED);
    }

    @Test
    void whatAPersonNamedAndIsDamagedIsRefusedNotReplaced() {
        CheckpointId older = gang.commit(1, 10, 2);
        CheckpointId base = gang.commit(1, 20, 2);
        var other = new Gang(parts);
        other.restore(1, base.value(), 2);
        RestoreDecision decision = other.restore(2, base.value(), 2, base);
        assertThat(decision.verdict()).isEqualTo(RestoreVerdict.REFUSED);
        assertThat(decision.message())
                .contains(base + " of step 20 is named by resumeFrom", "CORRUPT: attempt 1 of " + other.job);
        assertThat(other.restore(3, "latest", 2).verdict()).as("never fresh").isEqualTo(RestoreVerdict.REFUSED);
        // the job that saved it hears of it, and goes on from the older one
        assertThat(gang.find(base).phase()).isEqualTo(CheckpointPhase.CORRUPT);
        assertThat(gang.restore(2, "latest", 2).checkpointId()).isEqualTo(older);
        assertThat(other.events).singleElement().satisfies(event -> {
            assertThat(event.key()).isEqualTo(gang.job.value());
            assertThat(event.sequence()).isEqualTo(3);
        });
    }

    /** Each locks the other's head too; in one order, or they would wait for each other. */
    @Test
    void twoJobsThatReportEachOthersCheckpointAtOnceBothGetTheirAnswer() throws Exception {
        try (ExecutorService pool = Executors.newFixedThreadPool(2)) {
            for (int round = 0; round < 20; round++) {
                var one = new Gang(parts);
                var other = new Gang(parts);
                one.restore(1, "latest", 2);
                other.restore(1, "latest", 2);
                CheckpointId ofOne = one.commit(1, 10, 2);
                CheckpointId ofOther = other.commit(1, 10, 2);
                one.restore(2, ofOther.value(), 2);
                other.restore(2, ofOne.value(), 2);
                var start = new CyclicBarrier(2);
                Future<RestoreDecision> first = pool.submit(() -> {
                    start.await();
                    return one.restore(3, "latest", 2, ofOther);
                });
                Future<RestoreDecision> second = pool.submit(() -> {
                    start.await();
                    return other.restore(3, "latest", 2, ofOne);
                });
                first.get();
                second.get();
                assertThat(one.find(ofOther).phase()).isEqualTo(CheckpointPhase.CORRUPT);
                assertThat(one.find(ofOne).phase()).isEqualTo(CheckpointPhase.CORRUPT);
            }
        }
    }

    private double seconds(String durability) {
        return gang.meters
                .get("muster_checkpoint_write_seconds")
                .tag("durability", durability)
                .timer()
                .totalTime(TimeUnit.SECONDS);
    }
}
