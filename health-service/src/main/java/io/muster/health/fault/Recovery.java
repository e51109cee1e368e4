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
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What jobs and placements say about the recovery from a fault. Only what comes after the fault and, of attempts, only
 * later ones than the one it hit belong to it.
 */
final class Recovery {

    private static final String JOB = "job";
    private static final String SCHEDULER = "scheduler";

    /** What is said to be older than the fault by more than this is a late story of an earlier one. */
    private static final Duration CLOCK_SKEW = Duration.ofSeconds(5);

    /** Reasons of RECOVERING and FAILED that are no fault of a rank: others answer for them, or nobody. */
    private static final Set<String> NOT_OF_A_RANK = Set.of(
            "SUBMITTED",
            "REQUEUED",
            "PREFLIGHT_RUNNING",
            "RANKS_STARTING",
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
            case RECOVERING -> next = awaits(reason) ? fault : recovering(fault, job, reason, at);
            case QUEUED ->
                next = fault.acted(id, "JOB_REQUEUED", JOB, at, id + " waits for a new place as a whole: " + reason);
            case STARTING -> next = later ? starting(fault, job, reason, at) : fault;
            case RUNNING -> next = later ? running(fault, job, at) : fault;
            case SUCCEEDED, FAILED, CANCELLED ->
                next = fault.acted(id, "JOB_ENDED", JOB, at, id + " is " + job.phase() + ": " + reason)
                        .recovered(id);
            case SUSPENDED, STOPPING -> {}
        }
        return resolvedBy(next, job, later, at);
    }

    private static Fault recovering(Fault fault, JobState job, String reason, Instant at) {
        return fault.acted(
                        job.jobId(),
                        "JOB_RECOVERING",
                        JOB,
                        at,
                        job.jobId() + " stops attempt " + job.attempt() + " on all its nodes: " + reason)
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
                job.jobId() + " begins attempt " + job.attempt() + " on generation " + job.generation());
        return reason.equals("RANKS_STARTING")
                ? next.passed(job.jobId(), Phase.PREFLIGHT, at).passed(job.jobId(), Phase.RESTORED, at)
                : next;
    }

    private static Fault running(Fault fault, JobState job, Instant at) {
        JobId id = job.jobId();
        Fault next = fault.acted(id, "RUNNING", JOB, at, id + " runs again with attempt " + job.attempt())
                .passed(id, Phase.RUNNING, at);
        Instant step = job.firstStepAt();
        return step == null
                ? next
                : next.acted(
                                id,
                                "FIRST_STEP",
                                JOB,
                                step,
                                id + " has trained its first step in attempt " + job.attempt())
                        .passed(id, Phase.FIRST_STEP, step)
                        .recovered(id);
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
        if (generation > touched.get().generation()) {
            return placement.endedAt() == null && placement.lost().isEmpty() ? placedAnew(fault, placement, at) : fault;
        }
        List<NodeId> lost =
                placement.lost().stream().filter(fault.nodes()::contains).toList();
        Fault next = lost.isEmpty()
                ? fault
                : fault.acted(
                        id,
                        "GANG_WOUNDED",
                        SCHEDULER,
                        at,
                        id + " generation " + generation + " lost " + names(lost.stream()) + ", " + lost.size() + " of "
                                + placement.members().size() + " nodes");
        return placement.endedAt() == null || placement.repairedBy() != null
                ? next
                : next.acted(
                        id,
                        "GANG_RELEASED",
                        SCHEDULER,
                        at,
                        id + " holds no GPU of generation " + generation + " any more");
    }

    private static Fault placedAnew(Fault fault, PlacementState placement, Instant at) {
        JobId id = placement.jobId();
        return fault.acted(
                        id,
                        "GANG_REPAIRED",
                        SCHEDULER,
                        at,
                        id + " has a whole gang again: generation " + placement.generation() + " on "
                                + names(placement.members().stream().map(PlacedMember::node)))
                .passed(id, Phase.PLACED, at);
    }

    private static String names(Stream<NodeId> nodes) {
        return nodes.map(NodeId::value).limit(20).collect(Collectors.joining(", "));
    }
}
