package io.muster.health.query;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.Fitness;
import io.muster.health.check.CheckLedger;
import io.muster.health.lease.Bench;
import io.muster.health.lease.IncidentJournal;
import io.muster.health.node.Nodes;
import java.time.Clock;

/** The real answer to who is fit. */
public final class Looked {

    private final NodeViews views;

    @SuppressWarnings("NullAway")
    public Looked(Nodes nodes, CheckLedger ledger, Bench.Sitting bench, IncidentJournal incidents, Clock clock) {
        this.views = new NodeViews(nodes, null, ledger, bench.seat, bench.leases, bench.sweeper, incidents, clock);
    }

    public Fitness fitness(NodeId node) {
        return views.fitness(node);
    }
}
