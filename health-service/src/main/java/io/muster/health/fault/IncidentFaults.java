package io.muster.health.fault;

import io.muster.contract.fault.FaultLayer;
import io.muster.contract.fault.FaultSeverity;
import io.muster.contract.id.NodeId;
import io.muster.health.lease.ExpiredLease;
import io.muster.health.lease.IncidentJournal;
import io.muster.health.lease.LeaseVerdict.IncidentClosed;
import io.muster.health.lease.LeaseVerdict.IncidentOpened;
import java.time.Instant;
import java.util.List;
import org.springframework.stereotype.Component;

/**
 * An incident of the control plane is one fault; there is at most one at a time. What holds wait for is never kept waiting:
 * if faults are being written just then, its story follows, and {@link FaultUpkeep} ends what was left open.
 */
@Component
class IncidentFaults implements IncidentJournal {

    static final String DOMAIN = "control-plane";

    private static final String ACTOR = "health";

    private final FaultRepository repository;
    private final FaultBook book;
    private final FaultBacklog backlog;
    private final SeatRepository seats;

    IncidentFaults(FaultRepository repository, FaultBook book, FaultBacklog backlog, SeatRepository seats) {
        this.repository = repository;
        this.book = book;
        this.backlog = backlog;
        this.seats = seats;
    }

    @Override
    public void opened(IncidentOpened incident, Instant wellUntil, Instant now) {
        backlog.write("the control plane", () -> open(incident, wellUntil, now));
    }

    private void open(IncidentOpened incident, Instant wellUntil, Instant now) {
        if (book.controlPlaneIncident().isPresent()) {
            return;
        }
        List<NodeId> missing =
                incident.missing().stream().map(ExpiredLease::node).toList();
        Fault.Opening opening = new Fault.Opening(
                book.newFaultId(),
                book.newIncidentId(),
                FaultLayer.CONTROL_PLANE,
                "HEARTBEATS_LOST",
                DOMAIN,
                FaultSeverity.CRITICAL,
                missing.size() + incident.lostBefore() + " of " + incident.all()
                        + " nodes fell silent within one lease, more than 30 %: either they are lost or we cannot hear"
                        + " them",
                null,
                wellUntil);
        book.open(Fault.opened(opening, missing, seats.jobsOn(missing, false), now)
                .acted("NOBODY_HELD", ACTOR, now, "no hold is opened until it is proven that nodes can be heard"));
    }

    @Override
    public void closed(IncidentClosed incident, Instant now) {
        end(
                "INCIDENT_CLOSED",
                incident.heardAgain() + " nodes were heard again, " + incident.lost() + " are lost",
                now);
    }

    @Override
    public void abandoned(Instant now) {
        end("INCIDENT_CLOSED", "another judge has begun; all leases were restarted in full", now);
    }

    /** The judge is in no incident, but one is still written as open. */
    void leftOpen(Instant now) {
        end("INCIDENT_CLOSED", "every node has been heard again or is judged", now);
    }

    private void end(String action, String what, Instant now) {
        backlog.write("the control plane", () -> {
            for (Fault open : repository.openAbout(DOMAIN)) {
                book.update(open, open.acted(action, ACTOR, now, what).resolved(now));
            }
        });
    }

    @Override
    public boolean open() {
        return !repository.openAbout(DOMAIN).isEmpty();
    }
}
