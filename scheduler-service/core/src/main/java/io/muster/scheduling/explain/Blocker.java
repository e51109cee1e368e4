package io.muster.scheduling.explain;

/**
 * One thing in the way.
 *
 * @param sentence what is in the way, with numbers
 * @param hint what the person can do
 */
public record Blocker(PendingReason reason, String sentence, String hint) {}
