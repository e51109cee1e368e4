package io.muster.health.heartbeat;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.muster.contract.id.NodeId;
import io.muster.edge.id.Ids;
import io.muster.health.hold.HoldBook;
import io.muster.health.hold.HoldCause;
import io.muster.health.hold.HoldOpening;
import io.muster.health.lease.ExpiredLease;
import io.muster.health.lease.IncidentJournal;
import io.muster.health.lease.JudgeDuty;
import io.muster.health.lease.JudgeSeat;
import io.muster.health.lease.LeaseProperties;
import io.muster.health.lease.LeaseVerdict;
import io.muster.health.lease.LeaseVerdicts;
import io.muster.health.lease.LostDomain;
import io.muster.health.node.NodeRecord;
import io.muster.health.node.Nodes;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Writes what the sweeps decided, in their order: an EVICT hold for every session that is over, or one hold of the domain
 * that its lost nodes share, all in one transaction. A node that is lost by itself for the third time in 24 h is also
 * held until a person lifts that. A verdict that cannot be written stays first in the line.
 */
@Component
@Order(1)
class LossWriter implements JudgeDuty {

    static final int LOSSES_THAT_FLAP = 3;
    static final Duration FLAP_WINDOW = Duration.ofHours(24);

    private final LeaseVerdicts verdicts;
    private final IncidentJournal incidents;
    private final Nodes nodes;
    private final JudgeSeat seat;
    private final LeaseProperties properties;
    private final TransactionTemplate transaction;
    private final Ids ids;
    private final Clock clock;
    private final Counter expirations;
    private volatile boolean begins;

    LossWriter(
            LeaseVerdicts verdicts,
            IncidentJournal incidents,
            Nodes nodes,
            JudgeSeat seat,
            LeaseProperties properties,
            TransactionTemplate transaction,
            Ids ids,
            Clock clock,
            MeterRegistry meters) {
        this.verdicts = verdicts;
        this.incidents = incidents;
        this.nodes = nodes;
        this.seat = seat;
        this.properties = properties;
        this.transaction = transaction;
        this.ids = ids;
        this.clock = clock;
        this.expirations = meters.counter("muster.lease.expirations");
    }

    @Override
    public void seatTaken(List<NodeRecord> stored) {
        begins = true;
    }

    @Override
    public void perform() {
        if (begins) {
            fenced(() -> incidents.abandoned(clock.instant()));
            begins = false;
        }
        for (LeaseVerdict verdict = verdicts.oldest(); verdict != null; verdict = verdicts.oldest()) {
            write(verdict);
            verdicts.written(verdict);
        }
    }

    private void write(LeaseVerdict verdict) {
        switch (verdict) {
            case LeaseVerdict.IncidentOpened opened ->
                fenced(() -> incidents.opened(opened, wellUntil(opened.missing()), clock.instant()));
            case LeaseVerdict.IncidentClosed closed -> fenced(() -> incidents.closed(closed, clock.instant()));
            case LeaseVerdict.Lost lost -> {
                if (lost.domain() == null) {
                    lost.nodes().forEach(this::writeNode);
                } else {
                    writeDomain(lost.nodes(), lost.domain());
                }
                expirations.increment(lost.nodes().size());
            }
        }
    }

    private void writeNode(ExpiredLease lease) {
        Instant begin = clock.instant().minus(FLAP_WINDOW);
        int losses = nodes.openedSince(lease.node(), HoldCause.LEASE_EXPIRED, begin) + 1;
        nodes.changeAll(
                List.of(lease.node()),
                seat.fence(),
                "lease expired",
                wellUntil(List.of(lease)),
                (before, newId, now) -> {
                    NodeRecord lost = before.leaseExpired(lease.session(), silence(lease), newId, now);
                    return losses < LOSSES_THAT_FLAP ? lost : flapping(lost, lease, losses, newId, now);
                });
    }

    private static NodeRecord flapping(
            NodeRecord lost, ExpiredLease lease, int losses, Supplier<String> newId, Instant now) {
        HoldOpening opening = new HoldOpening(
                HoldCause.FLAPPING,
                lease.node().value(),
                "node " + lease.node() + " was lost " + losses + " times in 24 h: look at it, then POST /api/v1/nodes/"
                        + lease.node() + "/uncordon; passed checks do not lift this",
                HoldBook.OPERATORS,
                lease.session(),
                null);
        return lost.with(lost.holds().with(opening, newId, now));
    }

    private void writeDomain(List<ExpiredLease> leases, LostDomain domain) {
        String holdId = ids.newId("hold");
        Map<NodeId, ExpiredLease> byNode = new TreeMap<>();
        leases.forEach(lease -> byNode.put(lease.node(), lease));
        nodes.changeAll(
                byNode.keySet(), seat.fence(), domain.target() + " lost", wellUntil(leases), (before, newId, now) -> {
                    ExpiredLease lease = byNode.get(before.node());
                    if (lease == null) {
                        return before;
                    }
                    String message = silence(lease) + "; " + leases.size() + " nodes of " + domain.target()
                            + " were lost at once";
                    return before.lostWithDomain(lease.session(), domain.target(), message, () -> holdId, now);
                });
    }

    private String silence(ExpiredLease lease) {
        return "node " + lease.node() + " was silent for " + lease.silent().toMillis() + " ms, its lease is "
                + properties.lease().toMillis() + " ms; session " + lease.session() + " is over";
    }

    /** When the first of them was heard for the last time. */
    private Instant wellUntil(List<ExpiredLease> leases) {
        Duration longest = leases.stream()
                .map(ExpiredLease::silent)
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
        return clock.instant().minus(longest);
    }

    private void fenced(Runnable work) {
        transaction.executeWithoutResult(status -> {
            seat.fence().require();
            work.run();
        });
    }
}
