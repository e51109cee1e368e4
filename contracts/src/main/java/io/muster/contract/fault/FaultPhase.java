package io.muster.contract.fault;

import java.time.Instant;

/**
 * When a phase of the recovery was over, by the clock of the service that saw it.
 *
 * @param phase DETECTED, DECIDED, PLACED, PREFLIGHT, RESTORED, RUNNING or FIRST_STEP; of several jobs the last counts
 * @param seconds since the fault's firstSeenAt
 */
public record FaultPhase(String phase, Instant at, double seconds) {}
