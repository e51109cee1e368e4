package io.muster.simulator.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class FailureSimulationTest {

    static IntStream seeds() {
        return IntStream.rangeClosed(1, 10);
    }

    /** The run itself throws when an invariant is broken; here its books are read from the outside. */
    @ParameterizedTest
    @MethodSource("seeds")
    void everyMillisecondIsBookedOnceWhateverFails(int seed) {
        FailureSettings settings = Scenarios.everything();

        Outcome outcome = FailureSimulation.run(settings, seed);

        assertThat(Outcome.sum(outcome.phases())).isEqualTo(settings.millis()).isEqualTo(outcome.wallMillis());
        assertThat(outcome.phases().values()).allMatch(part -> part >= 0);
        assertThat(outcome.interruptions().keySet()).doesNotContain(Cause.WARNING);
        long recoveries = outcome.interruptionsInAll() + outcome.lossesDuringRecovery();
        assertThat(outcome.millis(Phase.RESTORE))
                .isBetween(
                        (outcome.interruptionsInAll() - 1)
                                * settings.phases().restore().leastMillis(),
                        recoveries * settings.phases().restore().mostMillis());
    }

    @Test
    void theHardScenariosReachWhatTheyAreMeantToReach() {
        Outcome all = seeds().mapToObj(seed -> FailureSimulation.run(Scenarios.everything(), seed))
                .reduce(Outcome::plus)
                .orElseThrow();

        assertThat(all.interruptions().keySet())
                .containsExactlyInAnyOrder(Cause.NODE, Cause.POWER_UNIT, Cause.LEAF, Cause.RELEASE);
        assertThat(all.lossesDuringRecovery()).isPositive();
        assertThat(all.exhausted()).isPositive();
        assertThat(all.queuedWhole()).isPositive();
        assertThat(all.fromStore()).isPositive();
    }

    static Stream<FailureSettings> simpleCases() {
        FailureSettings single = Scenarios.single();
        return Stream.of(
                single,
                single.with(CheckpointCourse.every(600_000)),
                single.with(RecoveryPhases.published()),
                single.with(RecoveryPhases.published()).with(CheckpointCourse.every(60_000)));
    }

    @ParameterizedTest
    @MethodSource("simpleCases")
    void singleFaultsCostWhatTheFormulaSays(FailureSettings settings) {
        Outcome outcome = IntStream.rangeClosed(1, 2)
                .mapToObj(seed -> FailureSimulation.run(settings, seed))
                .reduce(Outcome::plus)
                .orElseThrow();

        assertThat(outcome.exhausted()).isZero();
        Expectation expected = Expectation.of(settings, outcome.interruptionsInAll());
        assertThat(expected.tolerance()).isLessThan(expected.lostShare() * 0.15);
        assertThat(outcome.lostShare()).isCloseTo(expected.lostShare(), within(expected.tolerance()));
        assertThat(outcome.effective()).isCloseTo(expected.effective(), within(expected.tolerance()));
    }

    @Test
    void twiceTheFaultsLoseTwiceTheTime() {
        FailureSettings once = Scenarios.single();
        FailureSettings twice =
                once.with(once.rates().withFaults(2 * once.rates().faultsPerMillionNodeDays()));

        double ratio = lost(twice) / lost(once);

        assertThat(ratio).isBetween(1.8, 2.2);
    }

    private static double lost(FailureSettings settings) {
        return IntStream.rangeClosed(1, 2)
                .mapToObj(seed -> FailureSimulation.run(settings, seed))
                .reduce(Outcome::plus)
                .orElseThrow()
                .lostShare();
    }

    @Test
    void withoutFaultsOnlyTheSavesCost() {
        FailureSettings settings = Scenarios.single();

        Outcome outcome = FailureSimulation.run(settings.with(settings.rates().withFaults(0)), 1);

        assertThat(outcome.millis(Phase.USEFUL) + outcome.millis(Phase.STALL)).isEqualTo(settings.millis());
        assertThat(outcome.saves())
                .isEqualTo(outcome.millis(Phase.USEFUL) / settings.checkpoints().intervalMillis());
        assertThat((double) outcome.millis(Phase.STALL) / outcome.saves())
                .isCloseTo(settings.checkpoints().stall().meanMillis(), within(0.1));
        assertThat(outcome.interruptionsInAll()).isZero();
    }

    @Test
    void theSameSeedIsTheSameRunAndAnotherIsNot() {
        FailureSettings settings = Scenarios.everything();

        assertThat(FailureSimulation.run(settings, 7)).isEqualTo(FailureSimulation.run(settings, 7));
        assertThat(FailureSimulation.run(settings, 8)).isNotEqualTo(FailureSimulation.run(settings, 7));
    }

    /**
     * Without a spare each recovery waits exactly until the lost node is back, whether the wounded gang is still kept or has
     * been queued whole meanwhile.
     */
    @ParameterizedTest
    @CsvSource({"5, false", "120, true"})
    void withoutSparesTheJobWaitsForTheRepair(long repairMinutes, boolean longerThanTheRepairWait) {
        long repair = repairMinutes * 60_000;
        FailureSettings settings = Scenarios.single().with(new ClusterPlan(48, 0, 8, 2, 4));
        Span exactly = new Span(repair, repair);
        FailureSettings rare = settings.with(settings.rates().withFaults(5_000).withRepair(100, exactly, exactly));

        Outcome outcome = FailureSimulation.run(rare.withDays(30), 3);

        assertThat(outcome.lossesDuringRecovery()).isZero();
        assertThat(outcome.interruptionsInAll())
                .isGreaterThan(3)
                .isEqualTo(outcome.hits().get(Cause.NODE))
                .isEqualTo(outcome.exhausted());
        assertThat(outcome.queuedWhole()).isEqualTo(longerThanTheRepairWait ? outcome.exhausted() : 0);
        assertThat(outcome.millis(Phase.DETECT) + outcome.millis(Phase.DECIDE) + outcome.millis(Phase.WAIT))
                .isEqualTo(repair * outcome.interruptionsInAll());
        assertThat(outcome.costliest()).isEqualTo(Phase.WAIT);
    }

    @Test
    void correlatedFaultsCostMoreThanTheSameSingleFaultsAlone() {
        FailureSettings settings = Scenarios.single();
        FailureSettings both = settings.with(settings.rates().withCorrelated(300, 300, 300));

        Outcome single = FailureSimulation.run(settings, 5);
        Outcome correlated = FailureSimulation.run(both, 5);

        assertThat(correlated.hits()).containsEntry(Cause.NODE, single.hits().get(Cause.NODE));
        assertThat(correlated.effective()).isLessThan(single.effective());
    }

    @Test
    void tenThousandGpusForADay() {
        FailureSettings settings = FailureSettings.ofTenThousandGpus().withDays(1);

        Outcome outcome = FailureSimulation.run(settings.with(settings.rates().withCorrelated()), 1);

        assertThat(outcome.interruptionsInAll()).isBetween(2L, 20L);
        assertThat(outcome.effective()).isGreaterThan(0.97);
    }
}
