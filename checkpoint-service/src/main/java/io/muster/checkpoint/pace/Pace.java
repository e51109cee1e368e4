package io.muster.checkpoint.pace;

import java.time.Instant;

/**
 * How an attempt trains, as far as it was told.
 *
 * @param highestStep the highest that any member has told
 * @param plannedFrom the step told when the newest plan was made
 * @param plannedAt when that was
 * @param plannedStep the newest plan
 * @param distance how far ahead of the plan before it
 */
record Pace(long highestStep, long plannedFrom, Instant plannedAt, long plannedStep, long distance) {}
