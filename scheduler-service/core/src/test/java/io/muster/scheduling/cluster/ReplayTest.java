package io.muster.scheduling.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.scheduling.fixture.RandomHistory;
import io.muster.scheduling.invariant.PlacementInvariants;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The image is a function of its records: no way of batching, undoing or failing in between changes it. */
class ReplayTest {

    private static RandomHistory history(long seed, int nodes, int steps) {
        RandomHistory history = new RandomHistory(seed, nodes);
        for (int step = 0; step < steps; step++) {
            history.step();
        }
        return history;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void everyBatchSplitGivesTheSameImage(long seed) {
        List<ClusterRecord> records = history(seed, 4, 8).records;
        List<ClusterRecord> some = records.subList(0, Math.min(records.size(), 11));
        ClusterImage whole = RandomHistory.replayed(some, 0);
        for (long cuts = 0; cuts < 1L << some.size(); cuts++) {
            assertThat(ImageComparison.differences(whole, RandomHistory.replayed(some, cuts)))
                    .as("seed %s, cuts %s", seed, Long.toBinaryString(cuts))
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void replayGivesWhatTheDecisionsLeft(long seed) {
        RandomHistory history = history(seed, 12, 60);
        ClusterImage live = history.copy.publish();
        ClusterImage oneByOne = ClusterImage.EMPTY;
        for (ClusterRecord record : history.records) {
            oneByOne = oneByOne.replay(List.of(record));
        }
        assertThat(ImageComparison.differences(live, oneByOne)).isEmpty();
        assertThat(ImageComparison.differences(live, ClusterImage.EMPTY.replay(history.records)))
                .isEmpty();
        for (int cut = 0; cut < history.records.size(); cut += 7) {
            ClusterImage twoParts = ClusterImage.EMPTY
                    .replay(history.records.subList(0, cut))
                    .replay(history.records.subList(cut, history.records.size()));
            assertThat(ImageComparison.differences(live, twoParts)).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {21, 22, 23, 24, 25, 26, 27, 28, 29, 30})
    void undoingRestoresTheExactState(long seed) {
        RandomHistory history = history(seed, 12, 30);
        for (int round = 0; round < 10; round++) {
            ClusterImage before = history.copy.publish();
            int kept = history.records.size();
            int mark = history.copy.mark();
            history.step();
            ClusterImage between = ClusterImage.EMPTY.replay(history.records);
            int inner = history.copy.mark();
            history.step();
            history.step();
            history.copy.undoTo(inner);
            assertThat(ImageComparison.differences(between, history.copy)).isEmpty();
            history.copy.undoTo(mark);
            assertThat(ImageComparison.differences(before, history.copy)).isEmpty();
            assertThat(PlacementInvariants.violations(history.copy)).isEmpty();
            history.records.subList(kept, history.records.size()).clear();
            history.step();
        }
    }

    @Test
    void aCommitThatFailedLeavesNoTraceAndEverythingIsDecidedAgain() {
        RandomHistory history = history(31, 12, 40);
        ClusterImage published = history.copy.publish();
        history.copy.takeAttention();
        for (int step = 0; step < 10; step++) {
            history.step();
        }
        history.copy.rollback();
        assertThat(ImageComparison.differences(published, history.copy)).isEmpty();
        assertThat(history.copy.takeAttention()).isEqualTo(Attention.ALL);
    }

    @Test
    void aDifferenceIsFound() {
        RandomHistory history = history(32, 6, 10);
        ClusterImage before = history.copy.publish();
        history.submit();
        assertThat(ImageComparison.differences(before, history.copy))
                .anySatisfy(difference -> assertThat(difference).startsWith("jobs:"));
    }
}
