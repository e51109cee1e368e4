package io.muster.scheduling.cycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.scheduling.cluster.GangAllocation;
import io.muster.scheduling.cluster.JobWish;
import io.muster.scheduling.cluster.KnownJob;
import io.muster.scheduling.cluster.LineEntry;
import io.muster.scheduling.fixture.RandomHistory;
import io.muster.scheduling.placement.GangPlacer;
import io.muster.scheduling.placement.RepairSurvey;
import io.muster.scheduling.quota.QuotaVerdict;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random clusters live under the invariants; nobody who could start or be repaired is left waiting; one seed gives one
 * history.
 */
class RandomClusterTest {

    private static final Set<String> SEEN = new TreeSet<>();

    @AfterAll
    static void everyKindOfLossWasSeen() {
        assertThat(SEEN)
                .containsExactlyInAnyOrder(
                        "a second loss",
                        "a loss after a repair",
                        "a repair of several members",
                        "a repair by a spare",
                        "a wounded gang without a replacement",
                        "a wounded gang that is not wanted any more",
                        "a member of a wounded gang given back");
    }

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 40);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void invariantsHoldAndNobodyWhoFitsWaits(long seed) {
        RandomHistory history = new RandomHistory(seed, 14);
        for (int step = 0; step < 120; step++) {
            history.step();
            history.decide();
            for (Map.Entry<LineEntry, KnownJob> entry : history.copy.repairable()) {
                KnownJob job = entry.getValue();
                GangAllocation gang = history.copy.allocation(job.job()).orElseThrow();
                assertThat(RepairSurvey.of(history.copy, gang, job.demand().gang())
                                .fitsNow())
                        .as("seed %s step %s: %s could be repaired", seed, step, job)
                        .isFalse();
            }
            for (Map.Entry<LineEntry, KnownJob> entry : history.copy.waiting()) {
                KnownJob job = entry.getValue();
                assertThat(job.wish()).isEqualTo(JobWish.PLACEMENT);
                boolean quota = history.copy.quotaVerdict(
                                job.demand().queue(), job.demand().gang().gpus())
                        instanceof QuotaVerdict.Granted;
                assertThat(quota
                                && GangPlacer.place(history.copy, job.demand().gang(), Instant.EPOCH)
                                        .isPresent())
                        .as("seed %s step %s: %s could start", seed, step, job)
                        .isFalse();
            }
        }
        SEEN.addAll(history.seen);
        assertThat(history.decisions).hasAtLeastOneElementOfType(Decision.Placed.class);
        assertThat(history.decisions).hasAtLeastOneElementOfType(Decision.Waiting.class);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theSameSeedGivesTheSameDecisions(long seed) {
        RandomHistory one = new RandomHistory(seed, 10);
        RandomHistory two = new RandomHistory(seed, 10);
        for (int step = 0; step < 30; step++) {
            one.step();
            two.step();
        }
        assertThat(one.decisions).isEqualTo(two.decisions);
    }
}
