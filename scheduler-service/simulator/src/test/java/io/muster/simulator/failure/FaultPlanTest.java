package io.muster.simulator.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FaultPlanTest {

    private static final FailureSettings SETTINGS = FailureSettings.ofTenThousandGpus()
            .with(FaultRates.single().withCorrelated())
            .withDays(3_650);
    private static final List<Hit> HITS = FaultPlan.of(SETTINGS, 1);

    private static Stream<Hit> hits(Cause cause) {
        return HITS.stream().filter(hit -> hit.cause() == cause);
    }

    private static double perDay(Cause cause) {
        return hits(cause).mapToLong(Hit::at).distinct().count() / 3_650.0;
    }

    @Test
    void everythingHappensAsOftenAsItWasSet() {
        assertThat(perDay(Cause.NODE)).isBetween(0.97 * 8.125, 1.03 * 8.125);
        assertThat(perDay(Cause.WARNING)).isBetween(0.97 * 18.875, 1.03 * 18.875);
        assertThat(perDay(Cause.POWER_UNIT)).isBetween(0.8 * 0.057, 1.2 * 0.057);
        assertThat(perDay(Cause.LEAF)).isBetween(0.75 * 0.040, 1.25 * 0.040);
        assertThat(hits(Cause.RELEASE).count() / 3_650.0).isBetween(0.75 * 0.033 * 12.5, 1.25 * 0.033 * 12.5);
    }

    @Test
    void aDomainFailsWhole() {
        Hit first = hits(Cause.LEAF).findFirst().orElseThrow();

        List<Hit> together =
                hits(Cause.LEAF).filter(hit -> hit.at() == first.at()).toList();

        assertThat(together).hasSize(25);
        assertThat(together)
                .extracting(hit -> SETTINGS.cluster().leafOf(hit.node()))
                .containsOnly(SETTINGS.cluster().leafOf(first.node()));
        assertThat(together).extracting(Hit::outMillis).containsOnly(first.outMillis());
        long inRack = hits(Cause.POWER_UNIT)
                .filter(hit -> hit.at()
                        == hits(Cause.POWER_UNIT).findFirst().orElseThrow().at())
                .count();
        assertThat(inRack).isEqualTo(5);
    }

    @Test
    void itIsInOrderOfTimeAndOnlyOfTheSeed() {
        assertThat(HITS).isSorted().allMatch(hit -> hit.at() > 0);
        FailureSettings days = SETTINGS.withDays(60);
        assertThat(FaultPlan.of(days, 2)).isEqualTo(FaultPlan.of(days, 2)).isNotEqualTo(FaultPlan.of(days, 3));
    }

    @Test
    void oneMoreKindOfFaultMovesNoOther() {
        FailureSettings days = SETTINGS.withDays(60);
        FailureSettings singles = days.with(days.rates().withCorrelated(0, 0, 0));

        assertThat(FaultPlan.of(singles, 4)).isNotEmpty().isSubsetOf(FaultPlan.of(days, 4));
    }

    @Test
    void aRepairShorterThanItsDetectionIsRefused() {
        assertThatThrownBy(() -> new Hit(0, Cause.NODE, 3, 3_000, 3_000))
                .hasMessage("node 3 would be back after 3000 ms, before its loss is known after 3000 ms;"
                        + " repair must take longer");
    }
}
