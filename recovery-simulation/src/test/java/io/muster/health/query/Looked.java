package io.muster.health.query;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.Fitness;
import io.muster.health.check.CheckLedger;
import io.muster.health.lease.Bench;
import io.muster.health.node.Nodes;
import java.time.Clock;

/** The real answer to who is fit. */
public final class Looked {

    private final NodeViews views;

    public Looked(Nodes nodes, CheckLedger ledger, Bench.Sitting bench, Clock clock) {
        this.views = new NodeViews(nodes, ledger, bench.seat, bench.leases, clock);
    }

    public Fitness fitness(NodeId node) {
        return views.fitness(node);
    }
}
