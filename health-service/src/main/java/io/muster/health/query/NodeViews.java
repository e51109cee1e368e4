package io.muster.health.query;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.Fitness;
import io.muster.contract.problem.Problem;
import io.muster.edge.identity.UserCaller;
import io.muster.edge.page.Page;
import io.muster.edge.page.PageToken;
import io.muster.health.check.CheckLedger;
import io.muster.health.fault.FaultQuery;
import io.muster.health.lease.IncidentJournal;
import io.muster.health.lease.JudgeSeat;
import io.muster.health.lease.LeaseJudge;
import io.muster.health.lease.Sweeper;
import io.muster.health.node.NodeFilter;
import io.muster.health.node.NodeRecord;
import io.muster.health.node.Nodes;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Answers questions about nodes. Holds come from the database on every instance; whether a lease is alive is known best
 * by the judge, and other instances say what is written.
 */
@Component
public class NodeViews {

    private static final int NEWEST_FAULTS = 20;

    private final Nodes nodes;
    private final FaultQuery faults;
    private final CheckLedger ledger;
    private final JudgeSeat seat;
    private final LeaseJudge leases;
    private final Sweeper sweeper;
    private final IncidentJournal incidents;
    private final Clock clock;

    NodeViews(
            Nodes nodes,
            FaultQuery faults,
            CheckLedger ledger,
            JudgeSeat seat,
            LeaseJudge leases,
            Sweeper sweeper,
            IncidentJournal incidents,
            Clock clock) {
        this.nodes = nodes;
        this.faults = faults;
        this.ledger = ledger;
        this.seat = seat;
        this.leases = leases;
        this.sweeper = sweeper;
        this.incidents = incidents;
        this.clock = clock;
    }

    /** With the newest faults of the node that the caller may see. */
    Optional<NodeView> find(UserCaller caller, NodeId node) {
        return nodes.find(node)
                .map(found -> NodeView.of(
                        found,
                        alive(found),
                        ledger.of(node),
                        faults.ofNode(caller, node, NEWEST_FAULTS),
                        clock.instant()));
    }

    public NodeView view(NodeRecord node) {
        return NodeView.of(node, alive(node), ledger.of(node.node()), List.of(), clock.instant());
    }

    public static Problem unknown(NodeId node) {
        return Problem.of(
                404,
                "NODE_UNKNOWN",
                "No such node",
                "Node " + node + " has never joined.",
                "GET /api/v1/nodes lists the nodes.");
    }

    Page<NodeView> page(NodeFilter filter, @Nullable String pageToken, int size) {
        String after = pageToken == null ? "" : PageToken.decode(pageToken).lastKey();
        List<NodeRecord> found = nodes.page(filter, after, size + 1);
        List<NodeView> shown = found.stream()
                .limit(size)
                .map(node -> NodeView.of(node, alive(node), List.of(), List.of(), clock.instant()))
                .toList();
        String next = found.size() > size ? new PageToken(shown.getLast().node().value()).encoded() : null;
        return new Page<>(shown, next);
    }

    Fitness fitness(NodeId node) {
        return nodes.find(node)
                .map(found ->
                        new Fitness(node, true, alive(found), found.holds().holds(), inDoubt(found)))
                .orElseGet(() -> new Fitness(node, false, false, List.of(), false));
    }

    /** A node that is judged is in no doubt, whatever else goes on. */
    private boolean inDoubt(NodeRecord node) {
        return !node.sessionEnded()
                && (seat.judging() ? leases.alive(node.node()) && sweeper.incidentOpen() : incidents.open());
    }

    private boolean alive(NodeRecord node) {
        return seat.judging() ? leases.alive(node.node()) : !node.sessionEnded();
    }
}
