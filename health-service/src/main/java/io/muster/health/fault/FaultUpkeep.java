package io.muster.health.fault;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.muster.contract.id.NodeId;
import io.muster.edge.metrics.CountGauge;
import io.muster.health.hold.HoldBook;
import io.muster.health.lease.JudgeDuty;
import io.muster.health.lease.JudgeSeat;
import io.muster.health.lease.LeaseVerdicts;
import io.muster.health.lease.Sweeper;
import io.muster.health.node.HoldJournal;
import io.muster.health.node.NodeRecord;
import io.muster.health.node.Nodes;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Keeps faults true to the holds whatever happened to their writing: a hold without its fault gets one, a fault without its
 * hold is resolved, and so is an incident that the judge is not in any more; repetitions are told once a minute, old
 * faults forgotten, open ones counted. Only the judge does it, and what waits in the backlog goes first.
 */
@Component
@Order(8)
class FaultUpkeep implements JudgeDuty {

    private static final Logger LOG = LoggerFactory.getLogger(FaultUpkeep.class);

    private static final Duration EVERY = Duration.ofSeconds(5);
    private static final Duration REPEAT_AFTER = Duration.ofMinutes(1);
    private static final Duration KEPT = Duration.ofDays(30);

    private final FaultRepository repository;
    private final FaultQuery query;
    private final FaultBook book;
    private final FaultBacklog backlog;
    private final HoldFaults holds;
    private final IncidentFaults incidents;
    private final Sweeper sweeper;
    private final LeaseVerdicts verdicts;
    private final Nodes nodes;
    private final JudgeSeat seat;
    private final TransactionTemplate transaction;
    private final Clock clock;
    private final CountGauge open;
    private Instant nextAt = Instant.EPOCH;

    FaultUpkeep(
            FaultRepository repository,
            FaultQuery query,
            FaultBook book,
            FaultBacklog backlog,
            HoldFaults holds,
            IncidentFaults incidents,
            Sweeper sweeper,
            LeaseVerdicts verdicts,
            Nodes nodes,
            JudgeSeat seat,
            TransactionTemplate transaction,
            Clock clock,
            MeterRegistry meters) {
        this.repository = repository;
        this.query = query;
        this.book = book;
        this.backlog = backlog;
        this.holds = holds;
        this.incidents = incidents;
        this.sweeper = sweeper;
        this.verdicts = verdicts;
        this.nodes = nodes;
        this.seat = seat;
        this.transaction = transaction;
        this.clock = clock;
        this.open = new CountGauge(MultiGauge.builder("muster.faults.open")
                .description("Open faults by layer, code and severity")
                .register(meters));
    }

    @Override
    public void seatTaken(List<NodeRecord> stored) {
        nextAt = Instant.EPOCH;
    }

    @Override
    public void perform() {
        Instant now = clock.instant();
        if (now.isBefore(nextAt) || !backlog.idle()) {
            return;
        }
        nextAt = now.plus(EVERY);
        repository.nodesWithoutTheirStory(HoldFaults.causes()).forEach(this::openMissingSafely);
        fenced(() -> {
            for (Fault fault : repository.openWithoutTheirHold()) {
                book.update(
                        fault,
                        fault.acted("RETURNED", "health", book.now(), "the hold on " + fault.domain() + " is lifted")
                                .resolved(book.now()));
            }
            if (!sweeper.incidentOpen() && verdicts.oldest() == null && incidents.open()) {
                incidents.leftOpen(book.now());
            }
            repository.untoldSince(now.minus(REPEAT_AFTER)).forEach(book::repeat);
            repository.forgetResolvedBefore(now.minus(KEPT));
        });
        Map<Tags, Long> counts = new HashMap<>();
        query.countOpen()
                .forEach(count -> counts.put(
                        Tags.of("layer", count.layer(), "code", count.code(), "severity", count.severity()),
                        (long) count.faults()));
        open.show(counts);
    }

    @Override
    public void seatLost() {
        open.show(Map.of());
    }

    /** One node whose story cannot be written keeps nothing else from being looked after. */
    private void openMissingSafely(NodeId node) {
        try {
            openMissing(node);
        } catch (RuntimeException failed) {
            LOG.error("the fault of node {} cannot be opened; tried again in {}", node, EVERY, failed);
        }
    }

    private void openMissing(NodeId node) {
        fenced(() -> nodes.find(node)
                .ifPresent(record -> holds.changed(
                        List.of(new HoldJournal.Change(record.with(HoldBook.EMPTY), record)),
                        null,
                        "found without its fault",
                        book.now())));
    }

    private void fenced(Runnable work) {
        transaction.executeWithoutResult(status -> {
            seat.fence().require();
            backlog.write("what upkeep found", work);
        });
    }
}
