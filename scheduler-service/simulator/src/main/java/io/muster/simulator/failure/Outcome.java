package io.muster.simulator.failure;

import java.util.EnumMap;
import java.util.Map;

/**
 * What one run came to, or several together.
 *
 * @param phases wall time of the job; its parts sum to {@code wallMillis}
 * @param interruptions how often training was stopped, by what stopped it
 * @param lossesDuringRecovery further members lost before training went on
 * @param hits events on nodes of all kinds, warnings and spares included
 * @param exhausted recoveries that had to wait for a node
 * @param queuedWhole of those, given up after the repair wait and placed anew
 * @param fromStore restores for which no copy in memory was left
 */
record Outcome(
        long wallMillis,
        Map<Phase, Long> phases,
        Map<Cause, Long> interruptions,
        long lossesDuringRecovery,
        Map<Cause, Long> hits,
        long exhausted,
        long queuedWhole,
        long fromStore,
        long saves) {

    Outcome {
        phases = new EnumMap<>(phases);
        interruptions = new EnumMap<>(interruptions);
        hits = new EnumMap<>(hits);
        long sum = sum(phases);
        if (sum != wallMillis) {
            throw new IllegalStateException("the phases sum to " + sum + " ms and not to " + wallMillis + " ms");
        }
    }

    Outcome plus(Outcome other) {
        return new Outcome(
                wallMillis + other.wallMillis,
                added(phases, other.phases),
                added(interruptions, other.interruptions),
                lossesDuringRecovery + other.lossesDuringRecovery,
                added(hits, other.hits),
                exhausted + other.exhausted,
                queuedWhole + other.queuedWhole,
                fromStore + other.fromStore,
                saves + other.saves);
    }

    long millis(Phase phase) {
        return phases.getOrDefault(phase, 0L);
    }

    /** Useful to wall time: what the report calls effective training time. */
    double effective() {
        return share(Phase.USEFUL);
    }

    double share(Phase phase) {
        return (double) millis(phase) / wallMillis;
    }

    /** Of the wall time, by failures alone. */
    double lostShare() {
        return 1 - share(Phase.USEFUL) - share(Phase.STALL);
    }

    long interruptionsInAll() {
        return sum(interruptions);
    }

    double perDay(long count) {
        return (double) count * FailureSettings.DAY_MILLIS / wallMillis;
    }

    /** The phase that cost most of what was not useful. */
    Phase costliest() {
        Phase most = Phase.STALL;
        for (Phase phase : Phase.values()) {
            if (phase != Phase.USEFUL && millis(phase) > millis(most)) {
                most = phase;
            }
        }
        return most;
    }

    static long sum(Map<?, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    private static <K extends Enum<K>> Map<K, Long> added(Map<K, Long> one, Map<K, Long> other) {
        EnumMap<K, Long> sum = new EnumMap<>(one);
        other.forEach((key, value) -> sum.merge(key, value, Long::sum));
        return sum;
    }
}
