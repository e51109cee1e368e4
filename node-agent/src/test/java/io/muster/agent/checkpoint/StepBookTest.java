package io.muster.agent.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.agent.checkpoint.Slots.Staged;
import io.muster.agent.checkpoint.StepBook.Phase;
import io.muster.agent.checkpoint.StepBook.Work;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.CheckpointId;
import java.util.List;
import org.junit.jupiter.api.Test;

class StepBookTest {

    private static final CheckpointId CHECKPOINT = new CheckpointId("chk_0000000001");

    private static Staged staged(int rank, long step) {
        return new Staged(rank, "A", step, 10, "h");
    }

    private static StoredShard stored(int rank) {
        return new StoredShard(rank, "p" + rank, 10, "h", List.of());
    }

    @Test
    void reserveThenStoreThenReportWhenAllRanksAreThere() {
        StepBook book = new StepBook(2);
        book.staged(staged(0, 5));
        assertThat(book.work()).containsExactly(new Work.Reserve(5));
        book.reserved(5, CHECKPOINT);
        assertThat(book.work()).containsExactly(new Work.Store(5, CHECKPOINT, staged(0, 5)));
        book.stored(5, stored(0));
        assertThat(book.work()).isEmpty();
        book.staged(staged(1, 5));
        book.stored(5, stored(1));
        assertThat(book.work()).containsExactly(new Work.Report(5, CHECKPOINT, List.of(stored(0), stored(1))));
        assertThat(book.reported(5, false)).hasSize(2);
        assertThat(book.phase(5)).contains(Phase.LOCAL);
        assertThat(book.holdsUnsafe()).isFalse();
        assertThat(book.reported(5, true)).isEmpty();
        assertThat(book.phase(5)).contains(Phase.COMMITTED);
        assertThat(book.work()).isEmpty();
    }

    @Test
    void aStepThatARankHasSkippedIsGivenUp() {
        StepBook book = new StepBook(2);
        book.staged(staged(0, 5));
        assertThat(book.staged(staged(1, 10))).containsExactly(staged(0, 5));
        assertThat(book.phase(5)).contains(Phase.ABANDONED);
        assertThat(book.phase(10)).contains(Phase.STAGED);
    }

    @Test
    void aShardForAStepThatHasEndedIsFreedAtOnce() {
        StepBook book = new StepBook(2);
        book.staged(staged(0, 5));
        book.abandon(5);
        assertThat(book.staged(staged(1, 5))).containsExactly(staged(1, 5));
        assertThat(book.holdsUnsafe()).isFalse();
        assertThat(book.phase(5)).contains(Phase.ABANDONED);
        assertThat(book.work()).isEmpty();
    }

    @Test
    void abandonedStepsAreForgottenLikeCommittedOnes() {
        StepBook book = new StepBook(1);
        StepBook skipping = new StepBook(2);
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
        StepBook book = new StepBook(1);
        book.staged(staged(0, 5));
        book.abandon(5);
        for (long step : new long[] {5, 6}) {
            book.reserved(step, CHECKPOINT);
            book.stored(step, stored(0));
            assertThat(book.reported(step, true)).isEmpty();
            assertThat(book.abandon(step)).isEmpty();
        }
        assertThat(book.phase(5)).contains(Phase.ABANDONED);
        assertThat(book.phase(6)).isEmpty();
    }

    @Test
    void sealingGivesUpOnlyWhatIsNotWhole() {
        StepBook book = new StepBook(2);
        book.staged(staged(0, 5));
        book.staged(staged(1, 5));
        book.staged(staged(0, 10));
        assertThat(book.seal()).containsExactly(staged(0, 10));
        assertThat(book.phase(5)).contains(Phase.STAGED);
    }

    @Test
    void whatIsCommittedIsNeverGivenUp() {
        StepBook book = new StepBook(1);
        book.staged(staged(0, 5));
        book.reserved(5, CHECKPOINT);
        book.stored(5, stored(0));
        book.reported(5, true);
        book.abandonAll();
        assertThat(book.phase(5)).contains(Phase.COMMITTED);
    }

    @Test
    void onlyTheNewestEndedStepsAreRemembered() {
        StepBook book = new StepBook(1);
        for (long step = 1; step <= 100; step++) {
            book.staged(staged(0, step));
            book.reserved(step, CHECKPOINT);
            book.stored(step, stored(0));
            book.reported(step, true);
        }
        assertThat(book.phase(36)).isEmpty();
        assertThat(book.phase(37)).contains(Phase.COMMITTED);
    }
}
