package io.muster.job.lifecycle;

import static io.muster.contract.job.JobPhase.CANCELLED;
import static io.muster.contract.job.JobPhase.FAILED;
import static io.muster.contract.job.JobPhase.QUEUED;
import static io.muster.contract.job.JobPhase.RECOVERING;
import static io.muster.contract.job.JobPhase.RUNNING;
import static io.muster.contract.job.JobPhase.STARTING;
import static io.muster.contract.job.JobPhase.STOPPING;
import static io.muster.contract.job.JobPhase.SUCCEEDED;
import static io.muster.contract.job.JobPhase.SUSPENDED;

import io.muster.contract.job.JobPhase;
import java.util.List;
import java.util.Optional;

/**
 * The states of a job and the only ways between them.
 *
 * <pre>
 *                        REQUEUED
 *        +-------------------------------------+
 *        v                                     |    INTERRUPTED
 *   +--------+ PLACED +----------+ INTERR.  +------------+ ---+ (again, before
 *   | QUEUED |-------->| STARTING |--------->| RECOVERING |    |  it ran)
 *   +--------+         +----------+          +------------+ <--+
 *    |  |  ^ RESUMED    |   | ALL_RANKS_UP   ^  |   |   ^
 *    |  |  |            |   v       INTERR.  |  |   |   |
 *    |  | SUSPENDED     |  +---------+-------+  |   |   |
 *    |  |  ^  ^---------|--| RUNNING |<---------+   |   |
 *    |  |  |  SUSPENDED |  +---------+ ALL_RANKS_UP |   |
 *    |  |  |            |   | ENDING_DECIDED (all)  |   |
 *    |  |  |            v   v                       |   |
 *    |  |  |           +----------+ <---------------+   |
 *    |  |  +--DROPPED  | STOPPING | --------------------+
 *    |  |       |      +----------+  INTERRUPTED (a node was lost)
 *    | DROPPED  |       | GONE_AFTER_SUCCESS, _FAILURE, _CANCEL
 *    |  v       v       v
 *    | CANCELLED       SUCCEEDED | FAILED | CANCELLED
 *    +-- SUSPENDED --> SUSPENDED
 * </pre>
 *
 * <p>A job recovers either with the scheduler (REQUEUED, PLACED) or on the nodes it has: then it stays RECOVERING until
 * all ranks of the next attempt are up. STOPPING leads back only if the end had been decided from bad exits and a node
 * turns out to be lost before all is cleared away: then those exits were its consequence.
 *
 * <p>The end states are final: nothing leads out of them. A job reaches them only when no process of it is left, so
 * SUCCEEDED and FAILED too go through STOPPING. What is not in the table is a bug of the caller.
 */
final class JobLifecycle {

    record Transition(JobPhase from, JobTrigger trigger, JobPhase to) {}

    static final List<Transition> TABLE = List.of(
            new Transition(QUEUED, JobTrigger.PLACED, STARTING),
            new Transition(QUEUED, JobTrigger.DROPPED, CANCELLED),
            new Transition(QUEUED, JobTrigger.SUSPENDED, SUSPENDED),
            new Transition(STARTING, JobTrigger.ALL_RANKS_UP, RUNNING),
            new Transition(STARTING, JobTrigger.INTERRUPTED, RECOVERING),
            new Transition(STARTING, JobTrigger.ENDING_DECIDED, STOPPING),
            new Transition(RUNNING, JobTrigger.INTERRUPTED, RECOVERING),
            new Transition(RUNNING, JobTrigger.SUSPENDED, SUSPENDED),
            new Transition(RUNNING, JobTrigger.ENDING_DECIDED, STOPPING),
            new Transition(RECOVERING, JobTrigger.ALL_RANKS_UP, RUNNING),
            new Transition(RECOVERING, JobTrigger.INTERRUPTED, RECOVERING),
            new Transition(RECOVERING, JobTrigger.REQUEUED, QUEUED),
            new Transition(RECOVERING, JobTrigger.ENDING_DECIDED, STOPPING),
            new Transition(SUSPENDED, JobTrigger.RESUMED, QUEUED),
            new Transition(SUSPENDED, JobTrigger.DROPPED, CANCELLED),
            new Transition(STOPPING, JobTrigger.INTERRUPTED, RECOVERING),
            new Transition(STOPPING, JobTrigger.GONE_AFTER_SUCCESS, SUCCEEDED),
            new Transition(STOPPING, JobTrigger.GONE_AFTER_FAILURE, FAILED),
            new Transition(STOPPING, JobTrigger.GONE_AFTER_CANCEL, CANCELLED));

    private JobLifecycle() {}

    static Optional<JobPhase> next(JobPhase from, JobTrigger trigger) {
        return TABLE.stream()
                .filter(way -> way.from == from && way.trigger == trigger)
                .map(Transition::to)
                .findFirst();
    }

    /** @throws IllegalStateException if no way leads from here by this trigger */
    static JobPhase after(JobPhase from, JobTrigger trigger) {
        return next(from, trigger)
                .orElseThrow(() -> new IllegalStateException("no transition from " + from + " by " + trigger));
    }
}
