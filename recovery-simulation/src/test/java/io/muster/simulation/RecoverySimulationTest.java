package io.muster.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.muster.simulation.RecoverySimulation.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The recovery protocol under every disturbance that the simulation knows. {@code -Dsimulation.schedules=N} sets how many
 * schedules are run (`.ci/run` takes 20,000), {@code -Dsimulation.seed=N} runs one and prints how it went,
 * {@code -Dsimulation.trace=N} how many of its last lines.
 */
class RecoverySimulationTest {

    private static final long SCHEDULES = Long.getLong("simulation.schedules", 1_500);
    private static final int ENOUGH_TO_BE_CAUGHT = 600;

    @Test
    void everyInvariantHoldsInEverySchedule() {
        Long seed = Long.getLong("simulation.seed");
        long begun = System.nanoTime();
        Outcome broken = seed == null
                ? Schedules.first(1, SCHEDULES, Mutation.NONE, outcome -> !outcome.good())
                : Schedules.first(seed, 1, Mutation.NONE, outcome -> true);
        System.out.println("recovery simulation: " + (seed == null ? SCHEDULES + " schedules" : "seed " + seed) + " in "
                + (System.nanoTime() - begun) / 1_000_000_000 + " s");
        if (broken != null && broken.good()) {
            System.out.println(broken.report());
        } else if (broken != null) {
            fail(broken.report());
        }
    }

    @Test
    void aSeedRunsToTheSameEndAgain() {
        for (long seed = 1; seed <= 40; seed++) {
            Outcome once = RecoverySimulation.run(seed, Mutation.NONE);
            Outcome again = RecoverySimulation.run(seed, Mutation.NONE);
            assertThat(again.digest()).as("seed " + seed).isEqualTo(once.digest());
            assertThat(again.violation()).isEqualTo(once.violation());
        }
    }

    /** The negative control: with a fault put into a shell the same invariants must break, and break the same way again. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aFaultPutInIsCaught(Mutation mutation) {
        Outcome caught = Schedules.first(1, ENOUGH_TO_BE_CAUGHT, mutation, outcome -> !outcome.good());
        assertThat(caught)
                .as("no schedule of " + ENOUGH_TO_BE_CAUGHT + " caught " + mutation)
                .isNotNull();
        Outcome again = RecoverySimulation.run(caught.seed(), mutation);
        assertThat(again.violation()).isEqualTo(caught.violation());
        assertThat(again.digest()).isEqualTo(caught.digest());
        System.out.println(mutation + " caught by seed " + caught.seed() + ": " + caught.violation());
    }
}
