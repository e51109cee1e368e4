package io.muster.contract.agent;

/**
 * How the ranks of an attempt save.
 *
 * @param folder below the store's root, from checkpoint.uri
 * @param everySteps interval in steps; 0 if it is a duration
 * @param everySeconds interval in seconds; 0 if it is in steps
 */
public record CheckpointPlan(String folder, long everySteps, long everySeconds) {}
