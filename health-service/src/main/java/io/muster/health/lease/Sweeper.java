package io.muster.health.lease;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.ProbeOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One sweep: looks at all leases, lets {@link LossJudge} decide, and ends the sessions of the lost. A node that is heard
 * between the look and the verdict is not lost. In memory only, so judging goes on while the database is away.
 */
public final class Sweeper {

    private final LeaseJudge leases;
    private final LossJudge losses;
    private final Arbitration arbitration;
    private final Places places;

    Sweeper(LeaseJudge leases, LossJudge losses, Arbitration arbitration, Places places) {
        this.leases = leases;
        this.losses = losses;
        this.arbitration = arbitration;
        this.places = places;
    }

    synchronized void beginWith(Map<NodeId, Long> sessions, long now) {
        losses.beginAnew();
        leases.beginWith(sessions, now);
    }

    synchronized List<LeaseVerdict> sweep(long now) {
        List<LeaseVerdict> standing = new ArrayList<>();
        for (LeaseVerdict verdict : losses.judge(leases.survey(now), places)) {
            switch (verdict) {
                case LeaseVerdict.Lost lost -> {
                    List<ExpiredLease> ended = lost.nodes().stream()
                            .filter(node -> leases.end(node, now))
                            .toList();
                    if (!ended.isEmpty()) {
                        standing.add(new LeaseVerdict.Lost(ended, lost.domain()));
                    }
                }
                case LeaseVerdict.IncidentOpened opened -> standing.add(opened);
                case LeaseVerdict.IncidentClosed closed -> standing.add(closed);
            }
        }
        return standing;
    }

    /** Whether nothing is to be concluded from the silence of nodes that have a lease. */
    public synchronized boolean incidentOpen() {
        return losses.incidentOpen();
    }

    public synchronized List<ProbeOrder> ordersOf(NodeId arbiter) {
        return losses.incidentOpen() ? arbitration.ordersOf(arbiter) : List.of();
    }

    /** True if the probe was one of ours. */
    public synchronized boolean answered(NodeId arbiter, String probeId, boolean reached) {
        return arbitration.answered(arbiter, probeId, reached);
    }
}
