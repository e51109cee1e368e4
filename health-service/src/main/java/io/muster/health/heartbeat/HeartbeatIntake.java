package io.muster.health.heartbeat;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.muster.contract.id.NodeId;
import io.muster.contract.node.Heartbeat;
import io.muster.contract.node.HeartbeatAnswer;
import io.muster.contract.node.ProbeOrder;
import io.muster.contract.node.ProbeResult;
import io.muster.contract.node.Registration;
import io.muster.edge.identity.SignedToken;
import io.muster.health.check.CheckLedger;
import io.muster.health.lease.Hearing;
import io.muster.health.lease.JudgeSeat;
import io.muster.health.lease.LeaseJudge;
import io.muster.health.lease.MonotonicTime;
import io.muster.health.node.NodeRecord;
import io.muster.health.node.Nodes;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Takes heartbeats. The lease is served first and in memory only; the database is touched when something changed, so a
 * slow or absent database costs an agent its answer but never its lease. What is sent under an ended session is ignored
 * and answered "register again".
 */
@Component
class HeartbeatIntake {

    private final LeaseJudge leases;
    private final JudgeSeat seat;
    private final Watches watches;
    private final Nodes nodes;
    private final CheckLedger ledger;
    private final List<ProbeOrders> probes;
    private final SessionUse use;
    private final Credentials credentials;
    private final Clock clock;
    private final MonotonicTime time;
    private final Counter heard;

    HeartbeatIntake(
            LeaseJudge leases,
            JudgeSeat seat,
            Watches watches,
            Nodes nodes,
            CheckLedger ledger,
            List<ProbeOrders> probes,
            SessionUse use,
            Credentials credentials,
            Clock clock,
            MonotonicTime time,
            MeterRegistry meters) {
        this.leases = leases;
        this.seat = seat;
        this.watches = watches;
        this.nodes = nodes;
        this.ledger = ledger;
        this.probes = List.copyOf(probes);
        this.use = use;
        this.credentials = credentials;
        this.clock = clock;
        this.time = time;
        this.heard = meters.counter("muster.heartbeats");
    }

    HeartbeatAnswer take(NodeId node, Heartbeat beat) {
        heard.increment();
        Hearing hearing = leases.heard(node, beat.session(), beat.sequence(), time.nanos());
        if (hearing == Hearing.UNKNOWN && isStored(node, beat.session())) {
            leases.begin(node, beat.session(), time.nanos());
            hearing = leases.heard(node, beat.session(), beat.sequence(), time.nanos());
        }
        Optional<NodeWatch> watch =
                watches.of(node).filter(known -> known.record().session() == beat.session());
        return switch (hearing) {
            case ENDED, UNKNOWN -> registerAgain();
            case REPEATED -> watch.map(known -> answer(known, beat, false)).orElseGet(this::registerAgain);
            case ALIVE -> watch.map(known -> answer(known, beat, true)).orElseGet(this::registerAgain);
        };
    }

    private HeartbeatAnswer answer(NodeWatch watch, Heartbeat beat, boolean fresh) {
        synchronized (watch) {
            Instant now = clock.instant();
            NodeRecord node = watch.record();
            if (fresh) {
                // before anything that needs the database: a verdict may wait for them
                beat.probes().forEach(result -> tellWhoAsked(node.node(), result));
            }
            tellFirstUse(watch, node);
            if (fresh) {
                hear(watch, beat, now);
            }
            boolean checks = watch.asksForChecks(beat.agentTime(), now, time.nanos());
            List<ProbeOrder> orders = probes.stream()
                    .flatMap(asking -> asking.of(node.node()).stream())
                    .toList();
            return new HeartbeatAnswer(false, checks, orders, now, renewed(node, now));
        }
    }

    private void tellWhoAsked(NodeId arbiter, ProbeResult result) {
        for (ProbeOrders asking : probes) {
            if (asking.answered(arbiter, result)) {
                return;
            }
        }
    }

    private void tellFirstUse(NodeWatch watch, NodeRecord node) {
        if (!watch.used()) {
            use.used(node);
            watch.markUsed();
        }
    }

    private void hear(NodeWatch watch, Heartbeat beat, Instant now) {
        NodeId node = watch.record().node();
        Finding finding = watch.hear(beat, now);
        if (!beat.checks().isEmpty()) {
            ledger.record(node, beat.session(), beat.checks());
        }
        if (!finding.changesNothing()) {
            ledger.record(node, beat.session(), watch.ownResults(now));
            nodes.change(node, seat.fence(), finding.because(), finding::applyTo);
            watch.written(finding);
        }
    }

    private @Nullable Registration renewed(NodeRecord node, Instant now) {
        if (!credentials.dueForRenewal(node, now)) {
            return null;
        }
        SignedToken token = credentials.sign(node.node());
        nodes.change(
                node.node(),
                seat.fence(),
                "credential renewed",
                (before, newId, at) -> before.withToken(token.expiresAt()));
        return credentials.registration(node, token);
    }

    private boolean isStored(NodeId node, long session) {
        Optional<NodeRecord> stored =
                nodes.find(node).filter(found -> found.session() == session && !found.sessionEnded());
        stored.ifPresent(watches::put);
        return stored.isPresent();
    }

    private HeartbeatAnswer registerAgain() {
        return new HeartbeatAnswer(true, false, List.of(), clock.instant(), null);
    }
}
