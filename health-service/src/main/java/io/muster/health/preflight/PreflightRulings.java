package io.muster.health.preflight;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.PreflightReport;
import io.muster.contract.node.ProbeOrder;
import io.muster.contract.node.ProbeResult;
import io.muster.edge.id.Ids;
import io.muster.health.heartbeat.ProbeOrders;
import io.muster.health.heartbeat.Watches;
import io.muster.health.hold.HoldBook;
import io.muster.health.hold.HoldCause;
import io.muster.health.hold.HoldOpening;
import io.muster.health.lease.JudgeDuty;
import io.muster.health.lease.JudgeSeat;
import io.muster.health.lease.LeaseJudge;
import io.muster.health.node.NodeRecord;
import io.muster.health.node.Nodes;
import io.muster.health.preflight.PreflightCase.Arbitration;
import io.muster.health.preflight.PreflightRepository.Key;
import io.muster.health.preflight.PreflightRepository.Probe;
import io.muster.health.preflight.PreflightRepository.Undecided;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Carries out what {@link PreflightJudge} says: orders probes, and writes a decision together with the holds of those
 * it blames. All of it is in the database, so that a new judge goes on where the last one stopped.
 */
@Component
@Order(2)
class PreflightRulings implements JudgeDuty, ProbeOrders {

    private static final Logger LOG = LoggerFactory.getLogger(PreflightRulings.class);

    private final PreflightRepository repository;
    private final Nodes nodes;
    private final Watches watches;
    private final LeaseJudge leases;
    private final JudgeSeat seat;
    private final TransactionTemplate transaction;
    private final Ids ids;
    private final Clock clock;
    private volatile Map<NodeId, List<ProbeOrder>> orders = Map.of();
    private Instant forgetAt = Instant.EPOCH;

    PreflightRulings(
            PreflightRepository repository,
            Nodes nodes,
            Watches watches,
            LeaseJudge leases,
            JudgeSeat seat,
            TransactionTemplate transaction,
            Ids ids,
            Clock clock) {
        this.repository = repository;
        this.nodes = nodes;
        this.watches = watches;
        this.leases = leases;
        this.seat = seat;
        this.transaction = transaction;
        this.ids = ids;
        this.clock = clock;
    }

    @Override
    public List<ProbeOrder> of(NodeId arbiter) {
        return orders.getOrDefault(arbiter, List.of());
    }

    @Override
    public boolean answered(NodeId arbiter, ProbeResult result) {
        return result.probeId() != null
                && repository.answered(arbiter, result.probeId(), result.reached(), result.message());
    }

    @Override
    public void perform() {
        Instant now = clock.instant();
        Map<NodeId, List<ProbeOrder>> open = new TreeMap<>();
        for (Undecided undecided : repository.undecided()) {
            rule(undecided, now);
            for (Probe probe : repository.probes(undecided.key())) {
                if (probe.reached() == null) {
                    open.computeIfAbsent(probe.arbiter(), arbiter -> new ArrayList<>())
                            .add(probe.order());
                }
            }
        }
        orders = open;
        if (now.isAfter(forgetAt)) {
            repository.forgetOlderThan(now.minus(BackOff.WINDOW));
            forgetAt = now.plusSeconds(600);
        }
    }

    private void rule(Undecided undecided, Instant now) {
        Key key = undecided.key();
        Map<NodeId, PreflightReport> reports = repository.reports(key);
        PreflightCase known = known(undecided, reports);
        switch (PreflightJudge.judge(known, now)) {
            case PreflightRuling.Wait wait -> repository.explain(key, wait.message());
            case PreflightRuling.AskArbiter ask -> order(key, ask, now);
            case PreflightRuling.Decided decided -> decide(key, decided, reports, now);
        }
    }

    private PreflightCase known(Undecided undecided, Map<NodeId, PreflightReport> reports) {
        // members of one gang are told the same; should they differ, the first name counts
        List<NodeId> members = reports.values().stream()
                .findFirst()
                .map(PreflightReport::members)
                .orElse(List.of());
        TreeSet<NodeId> gone = new TreeSet<>(members);
        gone.removeIf(leases::alive);
        List<NodeId> outsiders = watches.records().stream()
                .filter(node -> node.holds().open().isEmpty() && leases.alive(node.node()))
                .map(NodeRecord::node)
                .filter(node -> !members.contains(node))
                .toList();
        return new PreflightCase(
                members,
                reports,
                undecided.judgedFrom(),
                gone,
                outsiders,
                arbitration(repository.probes(undecided.key())));
    }

    private static @Nullable Arbitration arbitration(List<Probe> probes) {
        if (probes.isEmpty()) {
            return null;
        }
        Map<NodeId, Boolean> reached = new TreeMap<>();
        for (Probe probe : probes) {
            if (probe.reached() != null) {
                reached.put(probe.order().target(), probe.reached());
            }
        }
        Probe first = probes.getFirst();
        return new Arbitration(
                first.arbiter(),
                first.orderedAt(),
                probes.stream().map(probe -> probe.order().target()).toList(),
                reached);
    }

    private void order(Key key, PreflightRuling.AskArbiter ask, Instant now) {
        transaction.executeWithoutResult(status -> {
            seat.fence().require();
            for (NodeId target : ask.targets()) {
                NodeRecord node = nodes.find(target).orElse(null);
                if (node != null) {
                    repository.order(
                            key,
                            ask.arbiter(),
                            new ProbeOrder(
                                    ids.newId("probe"),
                                    target,
                                    node.facts().agentAddress(),
                                    node.facts().agentPort()),
                            now);
                }
            }
        });
        LOG.info("job={} attempt={} arbiter={} tries={}", key.job(), key.attempt(), ask.arbiter(), ask.targets());
    }

    private void decide(Key key, PreflightRuling.Decided decided, Map<NodeId, PreflightReport> reports, Instant now) {
        transaction.executeWithoutResult(status -> {
            seat.fence().require();
            List<NodeId> held = new ArrayList<>();
            decided.blamed().forEach((node, why) -> {
                if (hold(node, why, key, reports.get(node), now)) {
                    held.add(node);
                }
            });
            repository.decide(key, held, decided.message(), now);
        });
        LOG.info(
                "job={} attempt={} blamed={} message=\"{}\"",
                key.job(),
                key.attempt(),
                decided.blamed().keySet(),
                decided.message());
    }

    private boolean hold(NodeId node, String why, Key key, @Nullable PreflightReport report, Instant now) {
        int earlier = nodes.openedSince(node, HoldCause.PREFLIGHT_FAILED, now.minus(BackOff.WINDOW));
        Instant notBefore = now.plus(BackOff.after(earlier));
        String message = "preflight of " + key.job() + " attempt " + key.attempt() + ": " + why
                + ". It comes back when its checks pass, not before " + notBefore + " (blamed " + (earlier + 1)
                + " times in 24 h)";
        return nodes.change(
                        node,
                        seat.fence(),
                        "blamed for a failed preflight",
                        (before, newId, at) -> before.with(before.holds()
                                .with(
                                        new HoldOpening(
                                                HoldCause.PREFLIGHT_FAILED,
                                                node.value(),
                                                message,
                                                HoldBook.HEALTH,
                                                report == null ? before.session() : report.session(),
                                                notBefore),
                                        newId,
                                        at)))
                .isPresent();
    }
}
