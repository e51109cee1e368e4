package io.muster.health.heartbeat;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.ProbeOrder;
import io.muster.contract.node.ProbeResult;
import java.util.List;

/** What arbiters are asked to reach, and what they found. There are several who ask. */
public interface ProbeOrders {

    /** Orders of this arbiter that are not answered yet. */
    List<ProbeOrder> of(NodeId arbiter);

    /** True if the order was one of theirs, so that nobody else is told. */
    boolean answered(NodeId arbiter, ProbeResult result);
}
