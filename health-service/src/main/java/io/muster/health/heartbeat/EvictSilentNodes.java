package io.muster.health.heartbeat;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.muster.health.lease.ExpiredLease;
import io.muster.health.lease.ExpiredLeases;
import io.muster.health.lease.JudgeDuty;
import io.muster.health.lease.JudgeSeat;
import io.muster.health.lease.LeaseProperties;
import io.muster.health.node.Nodes;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/** Writes what the sweep decided: an EVICT hold for every session that is over, in the order of the sweeps. */
@Component
@Order(1)
class EvictSilentNodes implements JudgeDuty {

    private final ExpiredLeases expired;
    private final Nodes nodes;
    private final JudgeSeat seat;
    private final LeaseProperties properties;
    private final Counter expirations;

    EvictSilentNodes(
            ExpiredLeases expired, Nodes nodes, JudgeSeat seat, LeaseProperties properties, MeterRegistry meters) {
        this.expired = expired;
        this.nodes = nodes;
        this.seat = seat;
        this.properties = properties;
        this.expirations = meters.counter("muster.lease.expirations");
    }

    @Override
    public void perform() {
        for (ExpiredLease lease = expired.oldest(); lease != null; lease = expired.oldest()) {
            write(lease);
            expired.written(lease);
            expirations.increment();
        }
    }

    private void write(ExpiredLease lease) {
        String message =
                "node " + lease.node() + " was silent for " + lease.silent().toMillis() + " ms, its lease is "
                        + properties.lease().toMillis() + " ms; session " + lease.session() + " is over";
        nodes.change(
                lease.node(),
                seat.fence(),
                "lease expired",
                (before, newId, now) -> before.leaseExpired(lease.session(), message, newId, now));
    }
}
