package io.muster.health.fault;

import io.muster.contract.fault.FaultLayer;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.job.JobPhase;
import io.muster.contract.job.JobState;
import io.muster.contract.placement.PlacedMember;
import io.muster.contract.placement.PlacementState;
import io.muster.health.fault.PassedPhase.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * What jobs and placements say about the recovery from a fault. Only what comes after the fault and, of attempts, only
 * later ones than the one it hit belong to it.
 */
final class Recovery {

    private static final String JOB = "job";
    private static final String SCHEDULER = "scheduler";
    private static final String RANKS_STARTING = "RANKS_STARTING";

    /** An attempt begins, whatever the phase. */
    private static final Set<String> BEGINNING = Set.of("PREFLIGHT_RUNNING", RANKS_STARTING);

    /** What is said to be older than the fault by more than this is a late story of an earlier one. */
    private static final Duration CLOCK_SKEW = Duration.ofSeconds(5);

    /** Reasons of RECOVERING and FAILED that are no fault of a rank: others answer for them, or nobody. */
    private static final Set<String> NOT_OF_A_RANK = Set.of(
            "SUBMITTED",
            "REQUEUED",
            "PREFLIGHT_RUNNING",
            RANKS_STARTING,
            "ALL_RANKS_UP",
            "PREFLIGHT_FAILED",
            "NODE_LOST",
            "CHECKPOINT_DAMAGED",
            "RESTORE_REFUSED",
            "MAX_RUNTIME_EXCEEDED",
            "CANCELLED_BY_USER",
            "COMPLETED");

    private Recovery() {}

    /** Whether a rank's end is what the job recovers from or failed for. */
    static boolean isRankFault(JobState job) {
        String reason = job.reason();
        return (job.phase() == JobPhase.RECOVERING || job.phase() == JobPhase.FAILED)
                && reason != null
                && !awaits(reason)
                && !NOT_OF_A_RANK.contains(reason);
    }

    static Fault after(Fault fault, JobState job, Instant at) {
        Optional<TouchedJob> touched = fault.job(job.jobId()).filter(TouchedJob::live);
        if (touched.isEmpty() || at.isBefore(fault.firstSeenAt().minus(CLOCK_SKEW))) {
            return fault;
        }
        JobId id = job.jobId();
        boolean later = job.attempt() > touched.get().attempt();
        String reason = Objects.requireNonNullElse(job.reason(), "no reason given");
        Fault next = fault;
        switch (job.phase()) {
            case RECOVERING -> next = recovering(fault, job, reason, later, at);
            case QUEUED ->
                next = fault.acted(
                        id,
                        "JOB_REQUEUED",
                        JOB,
                        at,
                        Words.job(job) + " waits in queue " + job.queue() + " for a new place for its whole gang, "
                                + Words.nodes(job.gang().nodes()) + " with "
                                + Words.gpus(job.gang().gpusPerNode()) + " each, because " + Words.because(reason));
            case STARTING -> next = later ? starting(fault, job, reason, at) : fault;
            case RUNNING -> next = later ? running(fault, touched.get(), job, at) : fault;
            case SUCCEEDED, FAILED, CANCELLED ->
                next = fault.acted(
                                id,
                                "JOB_ENDED",
                                JOB,
                                at,
                                Words.job(job) + " has ended as " + job.phase() + " after attempt " + job.attempt()
                                        + ", because " + Words.because(reason))
                        .recovered(id);
            case SUSPENDED, STOPPING -> {}
        }
        return resolvedBy(next, job, later, at);
    }

    /** A job that goes on with the nodes it has, or with a repaired gang, stays RECOVERING while the next attempt begins. */
    private static Fault recovering(Fault fault, JobState job, String reason, boolean later, Instant at) {
        if (awaits(reason)) {
            return fault;
        }
        if (BEGINNING.contains(reason)) {
            return later ? starting(fault, job, reason, at) : fault;
        }
        return fault.acted(
                        job.jobId(),
                        "JOB_RECOVERING",
                        JOB,
                        at,
                        "attempt " + job.attempt() + " of " + Words.job(job) + " is stopped on all "
                                + Words.nodes(job.gang().nodes()) + ", because " + Words.because(reason))
                .passed(job.jobId(), Phase.DECIDED, at);
    }

    private static boolean awaits(String reason) {
        return reason.startsWith("WAITING_");
    }

    private static Fault starting(Fault fault, JobState job, String reason, Instant at) {
        Fault next = fault.acted(
                job.jobId(),
                "ATTEMPT_STARTED",
                JOB,
                at,
                "attempt " + job.attempt() + " of " + Words.job(job) + " begins on "
                        + Words.nodes(job.gang().nodes()) + ", with the preflight (generation " + job.generation()
                        + " of its placement)");
        return reason.equals(RANKS_STARTING)
                ? next.passed(job.jobId(), Phase.PREFLIGHT, at).passed(job.jobId(), Phase.RESTORED, at)
                : next;
    }

    /** Over with the first step, but not before its new placement was heard of, which may be told later. */
    private static Fault running(Fault fault, TouchedJob touched, JobState job, Instant at) {
        JobId id = job.jobId();
        Fault next = fault.acted(
                        id,
                        "RUNNING",
                        JOB,
                        at,
                        Words.job(job) + " runs again: all ranks of attempt " + job.attempt() + " are up on "
                                + Words.nodes(job.gang().nodes()))
                .passed(id, Phase.RUNNING, at);
        Instant step = job.firstStepAt();
        if (step == null) {
            return next;
        }
        next = next.acted(
                        id,
                        "FIRST_STEP",
                        JOB,
                        step,
                        Words.job(job) + " has trained its first step in attempt " + job.attempt())
                .passed(id, Phase.FIRST_STEP, step);
        boolean placementUntold = job.generation() > touched.generation() && !next.hasPassed(id, Phase.PLACED);
        return placementUntold ? next : next.recovered(id);
    }

    /** What a job alone suffers from is over when the job runs again or has ended. */
    private static Fault resolvedBy(Fault fault, JobState job, boolean later, Instant at) {
        boolean ofTheJob = fault.layer() == FaultLayer.PROCESS || fault.layer() == FaultLayer.CHECKPOINT;
        boolean over = job.phase().ended() || (later && job.phase() == JobPhase.RUNNING);
        return ofTheJob && over && fault.open() ? fault.resolved(at) : fault;
    }

    /** A fault by which a job was lost on a node and that was opened before the placement was heard of. */
    static boolean woundedBy(Fault fault, PlacementState placement) {
        return fault.open()
                && NextStep.wounds(fault.layer())
                && placement.lost().stream().anyMatch(fault.nodes()::contains);
    }

    static Fault after(Fault fault, PlacementState placement, Instant at) {
        Optional<TouchedJob> touched = fault.job(placement.jobId()).filter(TouchedJob::live);
        if (touched.isEmpty()) {
            return fault;
        }
        JobId id = placement.jobId();
        int generation = placement.generation();
        Integer repairedBy = placement.repairedBy();
        Fault next = repairedBy == null ? fault : fault.repairedBy(id, repairedBy);
        if (generation > touched.get().generation()) {
            return placement.endedAt() == null && placement.lost().isEmpty()
                    ? wholeAgain(next, touched.get(), placement, at)
                    : next;
        }
        next = wounded(next, placement, at);
        return placement.endedAt() == null || repairedBy != null
                ? next
                : next.acted(
                        id,
                        "GANG_RELEASED",
                        SCHEDULER,
                        at,
                        "job " + id + " has given back its whole gang: it holds no GPU on the "
                                + Words.nodes(placement.members().size()) + " of generation " + generation
                                + " any more");
    }

    private static Fault wounded(Fault fault, PlacementState placement, Instant at) {
        List<NodeId> lost =
                placement.lost().stream().filter(fault.nodes()::contains).toList();
        if (lost.isEmpty()) {
            return fault;
        }
        return fault.acted(
                placement.jobId(),
                "GANG_WOUNDED",
                SCHEDULER,
                at,
                "the gang of job " + placement.jobId() + " (generation " + placement.generation() + ") lost "
                        + Words.names(lost) + ", " + lost.size() + " of "
                        + Words.nodes(placement.members().size()) + "; the others are kept for it");
    }

    /** Repaired if the generation before it was taken over by this one; else placed from nothing. */
    private static Fault wholeAgain(Fault fault, TouchedJob touched, PlacementState placement, Instant at) {
        JobId id = placement.jobId();
        int generation = placement.generation();
        boolean repaired = touched.repairedBy() != null && touched.repairedBy() == generation;
        String where = Words.nodes(placement.members().size()) + ": "
                + Words.names(
                        placement.members().stream().map(PlacedMember::node).toList());
        Fault next = fault.acted(
                        id,
                        repaired ? "GANG_REPAIRED" : "GANG_PLACED_ANEW",
                        SCHEDULER,
                        at,
                        repaired
                                ? "the gang of job " + id + " is repaired: generation " + generation
                                        + " has kept the healthy nodes and has replaced the lost ones, now " + where
                                : "job " + id + " has a new place for its whole gang: generation " + generation + " on "
                                        + where)
                .passed(id, Phase.PLACED, at);
        return next.hasPassed(id, Phase.FIRST_STEP) ? next.recovered(id) : next;
    }
}
