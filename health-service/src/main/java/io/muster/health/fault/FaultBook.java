package io.muster.health.fault;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.muster.contract.EventType;
import io.muster.contract.Topics;
import io.muster.edge.id.Ids;
import io.muster.edge.stream.ChangeMarks;
import io.muster.health.node.AfterCommit;
import io.muster.messaging.Outbox;
import io.muster.messaging.OutgoingEvent;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Component;

/**
 * The only way to write a fault: state, event and mark for streams together, inside the caller's transaction. A new action, phase or job is
 * told at once; what only repeats itself is told at most once a minute ({@link FaultUpkeep}). What follows from an open
 * incident of the control plane belongs to it.
 */
@Component
class FaultBook {

    private final FaultRepository repository;
    private final Outbox outbox;
    private final ChangeMarks changes;
    private final Ids ids;
    private final Clock clock;
    private final MeterRegistry meters;

    FaultBook(
            FaultRepository repository,
            Outbox outbox,
            ChangeMarks changes,
            Ids ids,
            Clock clock,
            MeterRegistry meters) {
        this.repository = repository;
        this.outbox = outbox;
        this.changes = changes;
        this.ids = ids;
        this.clock = clock;
        this.meters = meters;
    }

    String newFaultId() {
        return ids.newId("fault");
    }

    String newIncidentId() {
        return ids.newId("inc");
    }

    Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MICROS);
    }

    /** The incident of the control plane that is open now. */
    Optional<Fault> controlPlaneIncident() {
        return repository.openAbout(IncidentFaults.DOMAIN).stream().findFirst();
    }

    void open(Fault fault) {
        write(fault, EventType.FAULT_OPENED, true);
        List<PassedPhase> passed = fault.phases();
        AfterCommit.run(() -> {
            meters.counter(
                            "muster.faults",
                            "layer",
                            fault.layer().name(),
                            "code",
                            fault.code(),
                            "severity",
                            fault.severity().name())
                    .increment();
            passed.forEach(phase -> record(fault, phase));
        });
        if (!fault.open()) {
            write(fault, EventType.FAULT_RESOLVED, true);
        }
    }

    /** Writes the difference, if there is one, and tells of it if it is more than a repetition. */
    void update(Fault before, Fault after) {
        if (after.equals(before)) {
            return;
        }
        boolean resolves = before.open() && !after.open();
        boolean repeats = !resolves && after.saying(before.message()).state().equals(before.state());
        write(after, resolves ? EventType.FAULT_RESOLVED : EventType.FAULT_UPDATED, !repeats);
        List<PassedPhase> passed = after.phases().stream()
                .filter(phase -> !before.phases().contains(phase))
                .toList();
        AfterCommit.run(() -> passed.forEach(phase -> record(after, phase)));
    }

    void repeat(Fault fault) {
        write(fault, EventType.FAULT_UPDATED, true);
    }

    private void write(Fault fault, EventType type, boolean told) {
        repository.save(fault, told, now());
        if (told) {
            changes.mark(FaultFeed.NAME, fault.faultId());
            String key = fault.eventKey();
            outbox.append(new OutgoingEvent(
                    Topics.FAULTS,
                    key,
                    type.type(),
                    "fault/" + fault.faultId(),
                    repository.nextSequence(key),
                    fault.state()));
        }
    }

    private void record(Fault fault, PassedPhase passed) {
        Timer.builder("muster.fault.phase")
                .description("From the last good moment to the end of each phase of a recovery")
                .tags("layer", fault.layer().name(), "phase", passed.phase().name())
                .publishPercentiles(0.5, 0.95)
                .register(meters)
                .record(Duration.ofMillis(Math.round(passed.seconds() * 1000)));
    }
}
