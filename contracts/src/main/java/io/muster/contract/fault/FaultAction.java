package io.muster.contract.fault;

import java.time.Instant;

/**
 * Something that was done about a fault, or its outcome.
 *
 * @param action a stable code, such as NODE_HELD, JOB_RECOVERING, GANG_WOUNDED, GANG_REPAIRED, GANG_PLACED_ANEW, ATTEMPT_STARTED, RUNNING, FIRST_STEP
 *     or RETURNED
 * @param actor which service, or the key id of a person
 * @param message what was done, with names and numbers
 */
public record FaultAction(String action, String actor, Instant at, String message) {}
