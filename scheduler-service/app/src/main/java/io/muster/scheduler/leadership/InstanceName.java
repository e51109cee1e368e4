package io.muster.scheduler.leadership;

/** This process among the instances of scheduler-service; a new one at every start. */
public record InstanceName(String value) {}
