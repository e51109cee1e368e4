package io.muster.health.fault;

import io.muster.contract.fault.FaultLayer;
import io.muster.contract.fault.FaultSeverity;
import io.muster.contract.id.NodeId;
import io.muster.contract.node.Hold;
import io.muster.contract.node.HoldEffect;
import io.muster.contract.node.HoldScope;
import io.muster.health.hold.HoldCause;
import io.muster.health.hold.OpenHold;
import io.muster.health.node.HoldJournal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Every hold that health-service opens for something broken is a fault, written in the transaction of the hold and resolved
 * in the one that lifts it, or right after it if faults are being written just then; a hold that several nodes share is one fault, over when none of them is held by it any more.
 * Cordons and admissions are no faults. A lost connection that a job told of before its node was known to be lost becomes a
 * consequence of that loss.
 */
@Component
class HoldFaults implements HoldJournal {

    private static final Set<String> CONSEQUENCES = Set.of("LOST_CONNECTION", "AGENT_DOWN", "PROCESSES_LOST");
    private static final Duration CONSEQUENCE_WINDOW = Duration.ofMinutes(2);

    private final FaultRepository repository;
    private final FaultBook book;
    private final FaultBacklog backlog;
    private final SeatRepository seats;

    HoldFaults(FaultRepository repository, FaultBook book, FaultBacklog backlog, SeatRepository seats) {
        this.repository = repository;
        this.book = book;
        this.backlog = backlog;
        this.seats = seats;
    }

    static List<String> causes() {
        return List.of(HoldCause.values()).stream()
                .filter(HoldFaults::isFault)
                .map(HoldCause::name)
                .toList();
    }

    private static boolean isFault(HoldCause cause) {
        return switch (cause) {
            case LEASE_EXPIRED, DOMAIN_LOST, CHECK_FAILED, PREFLIGHT_FAILED, GPU_VETOED, FLAPPING -> true;
            case ADMISSION, CORDONED -> false;
        };
    }

    @Override
    public void changed(List<Change> changes, @Nullable Instant wellUntil, String because, Instant now) {
        Map<String, Held> opened = new TreeMap<>();
        Map<String, List<NodeId>> closed = new TreeMap<>();
        for (Change change : changes) {
            NodeId node = change.after().node();
            for (OpenHold hold : newOrRenewed(change)) {
                opened.computeIfAbsent(hold.hold().holdId(), id -> new Held(hold, new ArrayList<>()))
                        .nodes()
                        .add(node);
            }
            for (String holdId : gone(change)) {
                closed.computeIfAbsent(holdId, id -> new ArrayList<>()).add(node);
            }
        }
        if (opened.isEmpty() && closed.isEmpty()) {
            return;
        }
        backlog.write(changes.getFirst().after().node().value(), () -> {
            opened.values().forEach(held -> held(held.hold(), held.nodes(), wellUntil, now));
            closed.forEach((id, nodes) -> lifted(id, nodes, because, now));
        });
    }

    /** A hold and the nodes that have got it. */
    private record Held(OpenHold hold, List<NodeId> nodes) {}

    private static List<OpenHold> newOrRenewed(Change change) {
        return change.after().holds().open().stream()
                .filter(hold ->
                        isFault(hold.cause()) && !change.before().holds().open().contains(hold))
                .toList();
    }

    private static List<String> gone(Change change) {
        Set<String> open = change.after().holds().open().stream()
                .map(hold -> hold.hold().holdId())
                .collect(Collectors.toSet());
        return change.before().holds().open().stream()
                .filter(hold -> isFault(hold.cause()))
                .map(hold -> hold.hold().holdId())
                .filter(id -> !open.contains(id))
                .toList();
    }

    private void held(OpenHold open, List<NodeId> nodes, @Nullable Instant wellUntil, Instant now) {
        Optional<Fault> known = repository.ofHold(open.hold().holdId());
        boolean evicts = open.hold().effect() == HoldEffect.EVICT;
        List<TouchedJob> jobs = seats.jobsOn(nodes, evicts);
        if (known.isPresent()) {
            Fault before = known.get();
            String message = nodes.size() == 1 ? open.hold().message() : before.message();
            book.update(before, before.touching(nodes, jobs).saying(message));
            return;
        }
        Optional<Fault> incident = evicts ? book.controlPlaneIncident() : Optional.empty();
        Fault fault = Fault.opened(
                        opening(
                                open,
                                nodes,
                                incident,
                                wellUntil == null ? open.hold().since() : wellUntil),
                        nodes,
                        jobs,
                        now)
                .acted(evicts ? "NODE_HELD" : "NO_NEW_WORK", "health", now, heldInWords(open, nodes));
        book.open(fault);
        if (evicts) {
            adoptConsequences(fault, now);
        }
    }

    private static String heldInWords(OpenHold open, List<NodeId> nodes) {
        String target = open.hold().target();
        String where = target.equals(nodes.getFirst().value())
                ? "node " + target
                : target + " (" + Words.nodes(nodes.size()) + ": " + Words.names(nodes) + ")";
        return open.hold().effect() == HoldEffect.EVICT
                ? where + " is under an EVICT hold: it gets no work, and gangs on it are repaired elsewhere"
                : where + " is under a NO_NEW_WORK hold: it gets no new work, and what runs there goes on";
    }

    private Fault.Opening opening(OpenHold open, List<NodeId> nodes, Optional<Fault> incident, Instant firstSeenAt) {
        Hold hold = open.hold();
        boolean domain = hold.scope() == HoldScope.DOMAIN;
        String message = domain
                ? nodes.size() + " nodes of " + hold.target() + " were lost at once: "
                        + String.join(
                                ", ",
                                nodes.stream().limit(20).map(NodeId::value).toList())
                : hold.message();
        return new Fault.Opening(
                book.newFaultId(),
                incident.map(Fault::incidentId).orElseGet(book::newIncidentId),
                domain ? FaultLayer.DOMAIN : FaultLayer.NODE,
                domain ? domainCode(hold.target()) : open.cause().name(),
                switch (hold.scope()) {
                    case NODE -> "node/" + hold.target();
                    case GPU -> "gpu/" + hold.target();
                    case DOMAIN -> hold.target();
                },
                severity(open.cause()),
                message,
                hold.holdId(),
                firstSeenAt);
    }

    /** {@code rack/r1} is RACK_LOST. */
    private static String domainCode(String target) {
        return target.substring(0, target.indexOf('/')).toUpperCase(Locale.ROOT) + "_LOST";
    }

    private static FaultSeverity severity(HoldCause cause) {
        return switch (cause) {
            case DOMAIN_LOST -> FaultSeverity.CRITICAL;
            case LEASE_EXPIRED, FLAPPING -> FaultSeverity.ERROR;
            case CHECK_FAILED, PREFLIGHT_FAILED, GPU_VETOED -> FaultSeverity.WARNING;
            case ADMISSION, CORDONED -> FaultSeverity.INFO;
        };
    }

    /** What jobs of these nodes told of shortly before, because a peer was gone, follows from this loss. */
    private void adoptConsequences(Fault root, Instant now) {
        for (TouchedJob job : root.jobs()) {
            for (Fault fault : repository.liveOf(job.job())) {
                boolean follows = fault.layer() == FaultLayer.PROCESS
                        && fault.open()
                        && fault.causedBy() == null
                        && CONSEQUENCES.contains(fault.code())
                        && fault.detectedAt().isAfter(now.minus(CONSEQUENCE_WINDOW));
                if (follows) {
                    book.update(fault, fault.causedBy(root));
                }
            }
        }
    }

    private void lifted(String holdId, List<NodeId> nodes, String because, Instant now) {
        // also if it is resolved: the one that resolved it may have been written before us
        repository.ofHold(holdId).ifPresent(fault -> {
            Fault after = fault;
            for (NodeId node : nodes) {
                after = after.acted("RETURNED", "health", now, "the hold on node " + node + " is lifted: " + because);
            }
            book.update(fault, !fault.open() || repository.holdIsOpen(holdId) ? after : after.resolved(now));
        });
    }
}
