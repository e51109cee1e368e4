package io.muster.health.heartbeat;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.ProbeOrder;
import io.muster.contract.node.ProbeResult;
import io.muster.health.lease.Sweeper;
import java.util.List;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/** The sweep's questions about missing nodes. Asked first, because they are answered without the database. */
@Component
@Order(1)
class LeaseProbes implements ProbeOrders {

    private final Sweeper sweeper;

    LeaseProbes(Sweeper sweeper) {
        this.sweeper = sweeper;
    }

    @Override
    public List<ProbeOrder> of(NodeId arbiter) {
        return sweeper.ordersOf(arbiter);
    }

    @Override
    public boolean answered(NodeId arbiter, ProbeResult result) {
        return result.probeId() != null && sweeper.answered(arbiter, result.probeId(), result.reached());
    }
}
