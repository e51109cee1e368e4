package io.muster.health.heartbeat;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.Heartbeat;
import io.muster.contract.node.HeartbeatAnswer;
import io.muster.edge.id.Ids;
import io.muster.edge.identity.SignedToken;
import io.muster.health.check.CheckLedger;
import io.muster.health.lease.Bench;
import io.muster.health.lease.IncidentJournal;
import io.muster.health.lease.JudgeDuty;
import io.muster.health.node.NodeRecord;
import io.muster.health.node.Nodes;
import io.muster.simulation.Database;
import io.muster.simulation.Hidden;
import io.muster.simulation.Kernel;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.springframework.transaction.support.TransactionTemplate;

/** The real intake of heartbeats and its duties, as one life of the service builds them. */
public final class Listening {

    private static final HeartbeatProperties PROPERTIES = new HeartbeatProperties("0.1.0", Duration.ofHours(24));

    public final Watches watches;
    public final Credentials credentials = new Unsigned();
    private final Bench.Sitting bench;

    public static Watches watches() {
        return new Watches(PROPERTIES);
    }

    public Listening(Bench.Sitting bench, Watches watches) {
        this.bench = bench;
        this.watches = watches;
    }

    public JudgeDuty evictions(Nodes nodes, IncidentJournal incidents, Database database, Ids ids, Clock clock) {
        return new LossWriter(
                bench.verdicts,
                incidents,
                nodes,
                bench.seat,
                Bench.PROPERTIES,
                new TransactionTemplate(database),
                ids,
                clock,
                Hidden.METERS);
    }

    public JudgeDuty expiries(Nodes nodes) {
        return new CloseExpiredHolds(nodes, bench.seat);
    }

    /** How a heartbeat comes in. */
    @FunctionalInterface
    public interface Ear {
        HeartbeatAnswer take(NodeId node, Heartbeat beat);
    }

    public Ear ear(Nodes nodes, CheckLedger ledger, ProbeOrders probes, Kernel kernel) {
        Clock clock = kernel.clock();
        return new HeartbeatIntake(
                bench.leases,
                bench.seat,
                watches,
                nodes,
                ledger,
                List.of(new LeaseProbes(bench.sweeper), probes),
                node -> {},
                credentials,
                clock,
                kernel::nanos,
                Hidden.METERS)::take;
    }

    /** Nobody checks signatures here. */
    @SuppressWarnings("NullAway")
    private static final class Unsigned extends Credentials {

        private Unsigned() {
            super(null, PROPERTIES, Bench.PROPERTIES);
        }

        @Override
        public SignedToken sign(NodeId node) {
            return new SignedToken("unsigned", Instant.MAX);
        }

        @Override
        boolean dueForRenewal(NodeRecord node, Instant now) {
            return false;
        }
    }
}
