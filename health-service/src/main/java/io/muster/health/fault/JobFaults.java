package io.muster.health.fault;

import io.muster.contract.EventType;
import io.muster.contract.checkpoint.CheckpointState;
import io.muster.contract.fault.FaultLayer;
import io.muster.contract.fault.FaultSeverity;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import io.muster.contract.job.JobPhase;
import io.muster.contract.job.JobState;
import io.muster.contract.placement.PlacementState;
import io.muster.health.fault.SeatRepository.Seats;
import io.muster.messaging.EventMetadata;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.springframework.stereotype.Component;

/**
 * What jobs, placements and checkpoints tell: the recovery from faults that are known, and faults of their own. A rank's
 * end while a loss of its job's node is open is a consequence of that loss. Runs inside the consumer's transaction.
 */
@Component
class JobFaults {

    private final FaultRepository repository;
    private final FaultBook book;
    private final SeatRepository seats;

    JobFaults(FaultRepository repository, FaultBook book, SeatRepository seats) {
        this.repository = repository;
        this.book = book;
        this.seats = seats;
    }

    void job(EventMetadata event, JobState job) {
        boolean ofARank = Recovery.isRankFault(job);
        boolean ofTheNewestAttempt =
                ofARank && job.attempt() >= seats.attemptOf(job.jobId()).orElse(0);
        seats.put(job, event.time());
        if (!ofARank && repository.liveOf(job.jobId()).isEmpty()) {
            return;
        }
        repository.lock();
        if (ofTheNewestAttempt) {
            rankFault(job, repository.liveOf(job.jobId()), event.time());
        }
        for (Fault fault : repository.liveOf(job.jobId())) {
            book.update(fault, Recovery.after(fault, job, event.time()));
        }
    }

    private void rankFault(JobState job, List<Fault> live, Instant at) {
        String code = Objects.requireNonNull(job.reason());
        boolean known = live.stream()
                .anyMatch(fault -> fault.layer() == FaultLayer.PROCESS
                        && fault.job(job.jobId())
                                .filter(touched -> touched.attempt() == job.attempt())
                                .isPresent());
        if (known) {
            return;
        }
        Optional<Fault> root = wound(live);
        Seats held = seats.of(job.jobId());
        Fault.Opening opening = new Fault.Opening(
                book.newFaultId(),
                book.newIncidentId(),
                FaultLayer.PROCESS,
                code,
                "job/" + job.jobId(),
                root.isPresent() ? FaultSeverity.INFO : severity(job),
                "attempt " + job.attempt() + " of " + Words.job(job) + " was ended by a rank: " + Words.because(code),
                null,
                at);
        TouchedJob touched =
                new TouchedJob(job.jobId(), job.tenant(), held.gpus(), job.attempt(), job.generation(), true);
        Fault opened = Fault.opened(opening, held.nodes(), List.of(touched), book.now());
        book.open(root.map(opened::causedBy).orElse(opened));
    }

    /** What took nodes from a job explains what follows in it. */
    private static Optional<Fault> wound(List<Fault> live) {
        return live.stream()
                .filter(fault -> fault.open() && NextStep.wounds(fault.layer()))
                .findFirst();
    }

    private static FaultSeverity severity(JobState job) {
        return job.phase() == JobPhase.FAILED ? FaultSeverity.ERROR : FaultSeverity.WARNING;
    }

    void placement(EventMetadata event, PlacementState placement) {
        seats.put(placement);
        if (placement.lost().isEmpty() && repository.liveOf(placement.jobId()).isEmpty()) {
            return;
        }
        repository.lock();
        if (!placement.lost().isEmpty()) {
            touchLate(placement);
        }
        for (Fault fault : repository.liveOf(placement.jobId())) {
            book.update(fault, Recovery.after(fault, placement, event.time()));
        }
    }

    /** The fault opened before we heard that the job was placed there. */
    private void touchLate(PlacementState placement) {
        int attempt = seats.attemptOf(placement.jobId()).orElse(0);
        for (Fault fault : repository.openOn(placement.lost())) {
            if (Recovery.woundedBy(fault, placement)
                    && fault.job(placement.jobId()).isEmpty()) {
                int gpus = placement.members().stream()
                        .filter(member -> placement.lost().contains(member.node())
                                && fault.nodes().contains(member.node()))
                        .mapToInt(member -> member.gpus().size())
                        .sum();
                TouchedJob touched = new TouchedJob(
                        placement.jobId(), placement.tenant(), gpus, attempt, placement.generation(), true);
                book.update(fault, fault.touching(List.of(), List.of(touched)));
            }
        }
    }

    void checkpoint(EventMetadata event, CheckpointState newest) {
        boolean nothingOpen =
                repository.liveOf(newest.jobId()).stream().noneMatch(fault -> fault.layer() == FaultLayer.CHECKPOINT);
        if (newest.corrupt().isEmpty() && nothingOpen) {
            return;
        }
        repository.lock();
        for (CheckpointId corrupt : newest.corrupt()) {
            if (!repository.knownAbout(domain(corrupt))) {
                corruptFault(corrupt, newest, event.time());
            }
        }
        if (!newest.corrupt().contains(newest.checkpointId())) {
            repository.liveOf(newest.jobId()).stream()
                    .filter(fault -> fault.layer() == FaultLayer.CHECKPOINT
                            && fault.open()
                            && fault.domain().compareTo(domain(newest.checkpointId())) < 0
                            && newest.committedAt().isAfter(fault.detectedAt()))
                    .forEach(fault -> supersede(fault, newest, event.time()));
        }
    }

    private static String domain(CheckpointId checkpoint) {
        return "checkpoint/" + checkpoint;
    }

    private void corruptFault(CheckpointId corrupt, CheckpointState newest, Instant at) {
        JobId job = newest.jobId();
        Optional<Fault> root = wound(repository.liveOf(job));
        Seats held = seats.of(job);
        Fault.Opening opening = new Fault.Opening(
                book.newFaultId(),
                root.map(Fault::incidentId).orElseGet(book::newIncidentId),
                FaultLayer.CHECKPOINT,
                EventType.CHECKPOINT_CORRUPT.name(),
                domain(corrupt),
                FaultSeverity.ERROR,
                "checkpoint " + corrupt + " of " + job + " has a shard of which no whole copy exists",
                null,
                at);
        int attempt = seats.attemptOf(job).orElse(newest.attempt());
        TouchedJob touched = new TouchedJob(job, newest.tenant(), held.gpus(), attempt, held.generation(), true);
        book.open(Fault.opened(opening, held.nodes(), List.of(touched), book.now())
                .acted(
                        job,
                        "CHECKPOINT_SET_ASIDE",
                        "checkpoint",
                        at,
                        "checkpoint " + corrupt + " of job " + job
                                + " is marked CORRUPT: it is kept, and not restored any more"));
    }

    private void supersede(Fault fault, CheckpointState newest, Instant at) {
        String what = "job " + newest.jobId() + " has committed the newer checkpoint " + newest.checkpointId()
                + " at step " + newest.step() + "; the damaged one is needed no more";
        book.update(
                fault,
                fault.acted(newest.jobId(), "CHECKPOINT_COMMITTED", "checkpoint", at, what)
                        .recovered(newest.jobId())
                        .resolved(book.now()));
    }
}
