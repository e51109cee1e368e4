package io.muster.contract.checkpoint;

/** The step that every rank saves at next when the interval is a duration; chosen by the service, never by rank clocks. */
public record SavePlan(long nextStep) {}
