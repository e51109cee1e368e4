package io.muster.agent.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.agent.Gang;
import io.muster.agent.checkpoint.StepBook.Phase;
import io.muster.agent.checkpoint.StepBook.Work;
import io.muster.agent.memory.HeldShard;
import io.muster.contract.checkpoint.Durability;
import io.muster.contract.checkpoint.ShardHolder;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.NodeId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableSet;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StepBookTest {

    private static final NodeId SELF = new NodeId("r1-n1");
    private static final NodeId PEER = new NodeId("r2-n1");
    private static final CheckpointId CHECKPOINT = new CheckpointId("chk_0000000001");

    private static HeldShard staged(int rank, long step) {
        return held(rank, step, null);
    }

    private static HeldShard held(int rank, long step, @Nullable CheckpointId checkpoint) {
        return new HeldShard(Gang.JOB, 1, rank, step, HeldShard.Origin.OWN, 10, "h", checkpoint);
    }

    private static StoredShard copies(int rank, @Nullable String path, NodeId... holders) {
        List<ShardHolder> all = new ArrayList<>();
        Arrays.stream(holders).forEach(node -> all.add(new ShardHolder(node, null, 0)));
        return new StoredShard(rank, path, 10, "h", all);
    }

    private static List<StoredShard> told(StepBook book, long step) {
        return book.toTell().stream()
                .filter(work -> work.step() == step)
                .map(work -> ((Work.Report) work).shards())
                .findFirst()
                .orElseThrow();
    }

    private static boolean stored(StepBook book, long step) {
        return told(book, step).stream().allMatch(shard -> shard.path() != null);
    }

    private static void commit(StepBook book, long step) {
        book.reported(step, told(book, step), stored(book, step) ? Durability.DURABLE : Durability.PEER);
    }

    @Test
    void withoutAPeerToldThenStoredThenToldAgain() {
        StepBook book = new StepBook(2, SELF, null);
        book.staged(staged(0, 5));
        assertThat(book.toTell()).containsExactly(new Work.Reserve(5));
        assertThat(book.toStore()).isEmpty();
        book.reserved(5, CHECKPOINT);
        assertThat(book.toTell()).as("a rank is missing").isEmpty();
        assertThat(book.toStore()).containsExactly(new Work.Store(CHECKPOINT, staged(0, 5)));
        book.staged(staged(1, 5));
        assertThat(told(book, 5)).containsExactly(copies(0, null, SELF), copies(1, null, SELF));
        book.reported(5, told(book, 5), null);
        assertThat(book.phase(5)).contains(Phase.LOCAL);
        book.stored(staged(0, 5), "p0");
        book.stored(staged(1, 5), "p1");
        assertThat(book.holdsUnsafe()).as("stored but not told").isTrue();
        assertThat(told(book, 5)).containsExactly(copies(0, "p0", SELF), copies(1, "p1", SELF));
        book.reported(5, told(book, 5), null);
        assertThat(book.holdsUnsafe()).isFalse();
        assertThat(book.toTell()).as("asked about until it ends").hasSize(1);
        commit(book, 5);
        assertThat(book.phase(5)).contains(Phase.COMMITTED);
        assertThat(book.hasEnded(5)).isTrue();
        assertThat(book.toTell()).isEmpty();
        assertThat(book.toCopy()).isEmpty();
        assertThat(book.toStore()).isEmpty();
    }

    @Test
    void thePeerComesBeforeTheStoreAndEveryNewCopyIsTold() {
        StepBook book = new StepBook(1, SELF, PEER);
        book.staged(staged(0, 5));
        assertThat(book.toCopy()).containsExactly(new Work.Copy(staged(0, 5), List.of(5L)));
        book.reserved(5, CHECKPOINT);
        assertThat(book.toStore()).isEmpty();
        book.copied(staged(0, 5));
        assertThat(book.toCopy()).isEmpty();
        assertThat(told(book, 5)).containsExactly(copies(0, null, SELF, PEER));
        commit(book, 5);
        assertThat(book.phase(5)).contains(Phase.COMMITTED);
        assertThat(book.hasEnded(5)).isFalse();
        assertThat(book.toTell()).isEmpty();
        assertThat(book.holdsUnsafe()).isTrue();
        assertThat(book.toStore()).containsExactly(new Work.Store(CHECKPOINT, staged(0, 5)));
        book.stored(staged(0, 5), "p");
        assertThat(told(book, 5)).containsExactly(copies(0, "p", SELF, PEER));
        commit(book, 5);
        assertThat(book.hasEnded(5)).isTrue();
        assertThat(book.holdsUnsafe()).isFalse();
    }

    @Test
    void theStoreDoesNotWaitForAPeerThatDoesNotAnswer() {
        StepBook book = new StepBook(1, SELF, PEER);
        book.staged(staged(0, 5));
        book.reserved(5, CHECKPOINT);
        book.copyTried(staged(0, 5));
        assertThat(book.toStore()).hasSize(1);
        assertThat(book.toCopy()).as("and the peer is tried again").hasSize(1);
    }

    /** With the store away nothing piles up: the first commit, the one after it and the newest two are kept for it. */
    @Test
    void aCommitEndsWhatItOvertakes() {
        StepBook book = new StepBook(1, SELF, PEER);
        for (long step = 5; step <= 15; step += 5) {
            book.staged(staged(0, step));
            book.reserved(step, new CheckpointId("chk_00000000%02d".formatted(step)));
            book.copied(staged(0, step));
            commit(book, step);
        }
        assertThat(book.hasEnded(5)).isFalse();
        assertThat(book.pinned()).containsExactly(5L, 10L);
        assertThat(book.toStore()).extracting(Work::step).containsExactly(5L, 10L, 15L);
        book.staged(staged(0, 20));
        book.staged(staged(0, 25));
        book.reserved(25, CHECKPOINT);
        book.copied(staged(0, 25));
        assertThat(book.reported(25, told(book, 25), Durability.PEER)).containsExactly(staged(0, 20));
        assertThat(book.phase(20)).contains(Phase.ABANDONED);
        assertThat(book.toStore()).extracting(Work::step).containsExactly(5L, 10L, 25L, 15L);
        book.staged(staged(0, 30));
        book.reserved(30, CHECKPOINT);
        book.copied(staged(0, 30));
        commit(book, 30);
        assertThat(book.hasEnded(15)).isTrue();
        assertThat(book.toStore()).extracting(Work::step).containsExactly(5L, 10L, 30L, 25L);
        book.abandon(5);
        assertThat(book.toStore()).extracting(Work::step).startsWith(10L);
    }

    /** Two nodes whose stores need several times longer than there is between two commits, and never equally long. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void withAStoreSlowerThanTheSavesStepsGoOnBecomingDurableOnAllNodes(long seed) {
        Random random = new Random(seed);
        List<StepBook> books = List.of(new StepBook(2, SELF, PEER), new StepBook(2, PEER, SELF));
        List<Set<Long>> whole = List.of(new TreeSet<>(), new TreeSet<>());
        long[] free = new long[2];
        NavigableSet<Long> durable = new TreeSet<>();
        for (long time = 1; time <= 3000; time++) {
            for (int node = 0; node < 2; node++) {
                StepBook book = books.get(node);
                if (time % 3 == 0) {
                    saveAndCommit(book, time);
                }
                if (time >= free[node] && !book.toStore().isEmpty()) {
                    Work.Store first = (Work.Store) book.toStore().getFirst();
                    book.stored(first.shard(), "p");
                    free[node] = time + 3 + (node + 1) * random.nextInt(1, 8);
                    if (book.isStored(first.step())) {
                        whole.get(node).add(first.step());
                    }
                }
            }
            whole.getFirst().stream().filter(whole.getLast()::contains).forEach(durable::add);
            for (StepBook book : books) {
                book.toTell().forEach(work -> {
                    Work.Report report = (Work.Report) work;
                    book.reported(
                            report.step(),
                            report.shards(),
                            durable.contains(report.step()) ? Durability.DURABLE : Durability.PEER);
                });
            }
            assertThat(books).allMatch(book -> book.toTell().size() <= 8);
        }
        assertThat(durable).hasSizeGreaterThan(30);
        assertThat(durable.last()).as("to the end").isGreaterThan(2800);
    }

    private static void saveAndCommit(StepBook book, long step) {
        for (int rank = 0; rank < 2; rank++) {
            book.staged(staged(rank, step));
            book.copied(staged(rank, step));
        }
        book.reserved(step, CHECKPOINT);
        book.reported(step, told(book, step), Durability.PEER);
    }

    @Test
    void ofAThirdStepTheOldestStoredOneMakesRoom() {
        StepBook book = new StepBook(1, SELF, null);
        book.staged(staged(0, 5));
        book.staged(staged(0, 10));
        assertThat(book.onTheirWay(0)).containsExactly(staged(0, 5), staged(0, 10));
        assertThat(book.spareable(0)).isEmpty();
        book.reserved(5, CHECKPOINT);
        book.stored(staged(0, 5), "p");
        assertThat(book.spareable(0)).contains(staged(0, 5));
        book.dropped(staged(0, 5));
        assertThat(book.onTheirWay(0)).containsExactly(staged(0, 10));
        assertThat(told(book, 5)).as("memory is named no more").containsExactly(copies(0, "p"));
    }

    @Test
    void whatAnEarlierLifeHadCommittedIsOnlyStored() {
        StepBook book = new StepBook(1, SELF, PEER);
        book.staged(held(0, 5, CHECKPOINT));
        assertThat(book.phase(5)).contains(Phase.COMMITTED);
        assertThat(book.onTheirWay(0)).isEmpty();
        book.fence();
        book.seal();
        assertThat(book.phase(5)).contains(Phase.COMMITTED);
        book.copied(held(0, 5, CHECKPOINT));
        assertThat(book.toStore()).containsExactly(new Work.Store(CHECKPOINT, held(0, 5, CHECKPOINT)));
        assertThat(book.abandon(5)).as("its storing ends, it stays").isEmpty();
        assertThat(book.phase(5)).contains(Phase.COMMITTED);
        assertThat(book.holdsUnsafe()).isFalse();
    }

    @Test
    void aStepThatARankHasSkippedIsGivenUp() {
        StepBook book = new StepBook(2, SELF, null);
        book.staged(staged(0, 5));
        assertThat(book.staged(staged(1, 10))).containsExactly(staged(0, 5));
        assertThat(book.phase(5)).contains(Phase.ABANDONED);
        assertThat(book.phase(10)).contains(Phase.STAGED);
    }

    @Test
    void aShardForAStepThatHasEndedIsFreedAtOnce() {
        StepBook book = new StepBook(2, SELF, null);
        book.staged(staged(0, 5));
        book.abandon(5);
        assertThat(book.staged(staged(1, 5))).containsExactly(staged(1, 5));
        assertThat(book.holdsUnsafe()).isFalse();
        assertThat(book.phase(5)).contains(Phase.ABANDONED);
        assertThat(book.toTell()).isEmpty();
    }

    @Test
    void abandonedStepsAreForgottenLikeCommittedOnes() {
        StepBook book = new StepBook(1, SELF, null);
        StepBook skipping = new StepBook(2, SELF, null);
        for (long step = 1; step <= 100; step++) {
            book.staged(staged(0, step));
            assertThat(book.abandon(step)).containsExactly(staged(0, step));
            skipping.staged(staged((int) (step % 2), step));
        }
        assertThat(book.phase(36)).isEmpty();
        assertThat(book.phase(37)).contains(Phase.ABANDONED);
        assertThat(skipping.phase(35)).isEmpty();
        assertThat(skipping.phase(36)).contains(Phase.ABANDONED);
        assertThat(skipping.phase(99)).contains(Phase.ABANDONED);
        assertThat(skipping.phase(100)).contains(Phase.STAGED);
    }

    @Test
    void workThatEndsAfterItsStepHasNoEffect() {
        StepBook book = new StepBook(1, SELF, PEER);
        book.staged(staged(0, 5));
        book.abandon(5);
        for (long step : new long[] {5, 6}) {
            book.reserved(step, CHECKPOINT);
            book.copied(staged(0, step));
            book.copyTried(staged(0, step));
            book.stored(staged(0, step), "p");
            book.dropped(staged(0, step));
            assertThat(book.reported(step, List.of(), Durability.DURABLE)).isEmpty();
            assertThat(book.abandon(step)).isEmpty();
        }
        assertThat(book.phase(5)).contains(Phase.ABANDONED);
        assertThat(book.phase(6)).isEmpty();
    }

    @Test
    void sealingGivesUpOnlyWhatIsNotWhole() {
        StepBook book = new StepBook(2, SELF, null);
        book.staged(staged(0, 5));
        book.staged(staged(1, 5));
        book.staged(staged(0, 10));
        assertThat(book.seal()).containsExactly(staged(0, 10));
        assertThat(book.phase(5)).contains(Phase.STAGED);
    }
}
