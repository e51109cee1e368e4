package io.muster.simulator.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TrainingTest {

    /** Two nodes a rack, four a leaf; ranks are node numbers. */
    private static final ClusterPlan CLUSTER = new ClusterPlan(8, 0, 8, 2, 2);

    private final long[] memoryLostAt = new long[8];
    private final PeerCopies copies = PeerCopies.of(IntStream.range(0, 8).toArray(), CLUSTER);
    /** A save every 10 s stalls for 5 ms, is safe 2 s later, every third is in the store 9 s later. */
    private final CheckpointCourse course = new CheckpointCourse(1_000, 10, new Span(5, 5), 2_000, 3, 9_000);

    private final Ledger ledger = new Ledger();
    private final Training training = new Training(course, ledger, new SplittableRandom(1), copies);

    @BeforeEach
    void noMemoryIsLost() {
        Arrays.fill(memoryLostAt, -1);
    }

    @Test
    void aSaveThatIsNotSafeYetIsAbandoned() {
        training.run(0, 12_004);

        training.goBack(12_004, memoryLostAt);

        assertThat(ledger.millis(Phase.USEFUL)).isZero();
        assertThat(ledger.millis(Phase.RECOMPUTE)).isEqualTo(11_999);
        assertThat(ledger.millis(Phase.STALL)).isEqualTo(5);
    }

    @Test
    void aSafeSaveIsRestored() {
        training.run(0, 12_005);

        assertThat(training.goBack(12_005, memoryLostAt)).isTrue();

        assertThat(ledger.millis(Phase.USEFUL)).isEqualTo(10_000);
        assertThat(ledger.millis(Phase.RECOMPUTE)).isEqualTo(2_000);
    }

    @Test
    void bothMemoriesOfAShardLostMeansBackToTheStore() {
        training.run(0, 55_000);
        memoryLostAt[0] = 55_000;
        memoryLostAt[2] = 55_000;

        assertThat(training.goBack(55_000, memoryLostAt)).isFalse();

        assertThat(ledger.millis(Phase.USEFUL)).isEqualTo(30_000);
    }

    @Test
    void oneMemoryOfEachShardIsEnough() {
        training.run(0, 55_000);
        memoryLostAt[0] = 55_000;
        memoryLostAt[1] = 55_000;

        assertThat(training.goBack(55_000, memoryLostAt)).isTrue();

        assertThat(ledger.millis(Phase.USEFUL)).isEqualTo(50_000);
    }

    /** The gap between saves begins anew, and what was restored has two copies again. */
    @Test
    void whatWasRestoredOutlivesTheNextLoss() {
        training.run(0, 12_005);
        memoryLostAt[0] = 12_005;
        training.goBack(12_005, memoryLostAt);
        training.goOn(20_000, copies);
        training.run(20_000, 29_000);
        memoryLostAt[2] = 29_000;

        assertThat(training.goBack(29_000, memoryLostAt)).isTrue();

        assertThat(ledger.millis(Phase.USEFUL)).isEqualTo(10_000);
        assertThat(ledger.millis(Phase.RECOMPUTE)).isEqualTo(11_000);
        assertThat(training.trainedEver()).isEqualTo(21_000);
    }
}
