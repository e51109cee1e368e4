package io.muster.simulator.failure;

import java.util.ArrayList;
import java.util.List;

/**
 * The same days with single faults alone and with correlated ones too; a run of each has the same seed and so the same
 * single faults.
 */
record Comparison(FailureSettings settings, long firstSeed, List<Outcome> single, List<Outcome> correlated) {

    Comparison {
        single = List.copyOf(single);
        correlated = List.copyOf(correlated);
    }

    static Comparison of(FailureSettings settings, long firstSeed, int runs) {
        FailureSettings both = settings.with(settings.rates().withCorrelated());
        List<Outcome> single = new ArrayList<>();
        List<Outcome> correlated = new ArrayList<>();
        for (long seed = firstSeed; seed < firstSeed + runs; seed++) {
            single.add(FailureSimulation.run(settings, seed));
            correlated.add(FailureSimulation.run(both, seed));
        }
        return new Comparison(settings, firstSeed, single, correlated);
    }

    static Outcome together(List<Outcome> runs) {
        return runs.stream().reduce(Outcome::plus).orElseThrow();
    }

    static double least(List<Outcome> runs) {
        return runs.stream().mapToDouble(Outcome::effective).min().orElseThrow();
    }

    static double most(List<Outcome> runs) {
        return runs.stream().mapToDouble(Outcome::effective).max().orElseThrow();
    }

    Expectation expectation() {
        return Expectation.of(settings, together(single).interruptionsInAll());
    }

    double expectedInterruptionsPerDay() {
        return settings.cluster().jobNodes() * settings.rates().faultsPerMillionNodeDays() / 1e6;
    }
}
