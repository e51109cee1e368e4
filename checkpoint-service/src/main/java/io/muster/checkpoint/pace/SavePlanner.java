package io.muster.checkpoint.pace;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Decides the next step that all ranks of an attempt save at, so that saves are about an interval apart. Pure.
 *
 * <p>A plan once made never changes: a member that asks is told the first planned step above its own. Only when there is
 * none is a new one made, so members that are a step apart still save together.
 *
 * <p>The new plan is the last one plus as many steps as fit into the interval at the speed since that was made, and at
 * least two steps ahead of the highest step told, so that no member has passed it when it hears of it. The speed is not
 * known at first: the first plan is {@value #PROBE_STEPS} steps ahead, and each further one at most
 * {@value #GROWTH} times as far as the one before, so that a few quick steps at the start do not put the next save hours
 * away. A slow attempt therefore saves once early; a fast one reaches its interval after a few saves.
 */
final class SavePlanner {

    static final long PROBE_STEPS = 8;
    static final long GROWTH = 4;

    private static final long AHEAD = 2;
    /** Keeps products within a long. */
    private static final long MOST_STEPS = 100_000_000;

    private SavePlanner() {}

    /**
     * Makes the next plan.
     *
     * @param before null for the first plan of the attempt
     * @param step told now, at or above every plan made so far
     */
    static Pace next(@Nullable Pace before, long step, Duration interval, Instant now) {
        if (before == null) {
            long first = step + PROBE_STEPS;
            return new Pace(step, step, now, first, PROBE_STEPS);
        }
        long highest = Math.max(before.highestStep(), step);
        long distance = distance(before, step, interval, now);
        long planned = Math.max(highest + AHEAD, before.plannedStep() + distance);
        return new Pace(highest, step, now, planned, distance);
    }

    private static long distance(Pace before, long step, Duration interval, Instant now) {
        long steps = Math.min(step - before.plannedFrom(), MOST_STEPS);
        long millis = Duration.between(before.plannedAt(), now).toMillis();
        if (steps <= 0 || millis <= 0) {
            return before.distance();
        }
        long fitting = Math.ceilDiv(interval.toMillis() * steps, millis);
        return Math.clamp(fitting, 1, Math.min(MOST_STEPS, before.distance() * GROWTH));
    }
}
