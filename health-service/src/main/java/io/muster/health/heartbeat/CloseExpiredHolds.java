package io.muster.health.heartbeat;

import io.muster.contract.id.NodeId;
import io.muster.health.lease.JudgeDuty;
import io.muster.health.lease.JudgeSeat;
import io.muster.health.node.Nodes;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/** Closes holds whose time is over. */
@Component
@Order(3)
class CloseExpiredHolds implements JudgeDuty {

    private final Nodes nodes;
    private final JudgeSeat seat;

    CloseExpiredHolds(Nodes nodes, JudgeSeat seat) {
        this.nodes = nodes;
        this.seat = seat;
    }

    @Override
    public void perform() {
        for (NodeId node : nodes.withExpiredHolds()) {
            nodes.change(
                    node,
                    seat.fence(),
                    "expired",
                    (before, newId, now) -> before.with(before.holds().withoutExpired(now)));
        }
    }
}
