package io.muster.health.preflight;

import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.node.PreflightReport;
import io.muster.contract.node.PreflightVerdict;
import io.muster.edge.id.Ids;
import io.muster.health.check.CheckLedger;
import io.muster.health.heartbeat.ProbeOrders;
import io.muster.health.heartbeat.Watches;
import io.muster.health.lease.Bench;
import io.muster.health.lease.JudgeDuty;
import io.muster.health.node.Nodes;
import io.muster.simulation.Database;
import io.muster.simulation.Kernel;
import io.muster.simulation.Table;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** Preflights without SQL, and the real reports and rulings on them. */
public final class Rulings {

    private record Row(
            @Nullable Instant judgedFrom, @Nullable Instant decidedAt, List<NodeId> blamed, String message) {}

    private final Database database;
    private final Table<String, Row> preflights;
    private final Table<String, Map<NodeId, PreflightReport>> reports;
    private final Table<String, PreflightRepository.Probe> probes;
    private final Table<String, String> probeKeys;
    private final Map<String, PreflightRepository.Key> keys = new TreeMap<>();
    private final Rows rows = new Rows();

    public Rulings(Database database) {
        this.database = database;
        this.preflights = new Table<>(database);
        this.reports = new Table<>(database);
        this.probes = new Table<>(database);
        this.probeKeys = new Table<>(database);
    }

    /** What one life of the service has. */
    public final class Court {
        private final PreflightReports intake;
        private final PreflightRulings rulings;

        private Court(Nodes nodes, CheckLedger ledger, Watches watches, Bench.Sitting bench, Ids ids, Kernel kernel) {
            TransactionTemplate transaction = new TransactionTemplate(database);
            intake = new PreflightReports(rows, nodes, ledger, watches, bench.seat, transaction, kernel.clock());
            rulings = new PreflightRulings(
                    rows, nodes, watches, bench.leases, bench.seat, transaction, ids, kernel.clock());
        }

        public JudgeDuty duty() {
            return rulings;
        }

        public ProbeOrders probes() {
            return rulings;
        }

        /** False: it is not to be sent again. */
        public boolean report(NodeId node, PreflightReport report) {
            return intake.take(node, report) instanceof ReportAnswer.Taken;
        }

        public PreflightVerdict verdict(JobId job, int attempt) {
            return intake.verdict(job, attempt);
        }
    }

    public Court court(Nodes nodes, CheckLedger ledger, Watches watches, Bench.Sitting bench, Ids ids, Kernel kernel) {
        return new Court(nodes, ledger, watches, bench, ids, kernel);
    }

    private static String name(PreflightRepository.Key key) {
        return key.job() + "/" + key.attempt();
    }

    @SuppressWarnings("NullAway")
    private final class Rows extends PreflightRepository {

        private Rows() {
            super((JdbcClient) null, new JsonMapper());
        }

        private Row row(Key key) {
            return preflights.get(name(key));
        }

        @Override
        void ensure(Key key, Instant now) {
            keys.put(name(key), key);
            if (row(key) == null) {
                preflights.put(name(key), new Row(null, null, List.of(), ""));
            }
        }

        @Override
        void judgeFrom(Key key, Instant now) {
            Row row = row(key);
            if (row.judgedFrom == null) {
                preflights.put(name(key), new Row(now, row.decidedAt, row.blamed, row.message));
            }
        }

        @Override
        boolean add(Key key, NodeId node, PreflightReport report, Instant now) {
            Map<NodeId, PreflightReport> all = new TreeMap<>(reports(key));
            if (all.putIfAbsent(node, report) != null) {
                return false;
            }
            reports.put(name(key), all);
            return true;
        }

        @Override
        Map<NodeId, PreflightReport> reports(Key key) {
            return reports.find(name(key)).orElseGet(TreeMap::new);
        }

        @Override
        List<Undecided> undecided() {
            List<Undecided> undecided = new ArrayList<>();
            preflights.rows().forEach((name, row) -> {
                if (row.decidedAt == null && row.judgedFrom != null) {
                    undecided.add(new Undecided(keys.get(name), row.judgedFrom));
                }
            });
            undecided.sort(Comparator.comparing(Undecided::judgedFrom));
            return undecided;
        }

        @Override
        Optional<PreflightVerdict> verdict(Key key) {
            return Optional.ofNullable(row(key))
                    .map(row -> new PreflightVerdict(row.decidedAt != null, row.blamed, row.message));
        }

        @Override
        boolean decide(Key key, List<NodeId> blamed, String message, Instant now) {
            Row row = row(key);
            if (row == null || row.decidedAt != null) {
                return false;
            }
            preflights.put(name(key), new Row(row.judgedFrom, now, List.copyOf(blamed), message));
            return true;
        }

        @Override
        void explain(Key key, String message) {
            Row row = row(key);
            if (row != null && row.decidedAt == null && !row.message.equals(message)) {
                database.writing(() -> preflights.put(name(key), new Row(row.judgedFrom, null, row.blamed, message)));
            }
        }

        @Override
        void order(Key key, NodeId arbiter, io.muster.contract.node.ProbeOrder order, Instant now) {
            probes.put(order.probeId(), new Probe(order, arbiter, now, null));
            probeKeys.put(order.probeId(), name(key));
        }

        @Override
        boolean answered(NodeId arbiter, String probeId, boolean reached, String message) {
            Probe probe = probes.get(probeId);
            if (probe == null || !probe.arbiter().equals(arbiter) || probe.reached() != null) {
                return false;
            }
            database.writing(() -> probes.put(probeId, new Probe(probe.order(), arbiter, probe.orderedAt(), reached)));
            return true;
        }

        @Override
        List<Probe> probes(Key key) {
            return probes.rows().entrySet().stream()
                    .filter(entry -> name(key).equals(probeKeys.get(entry.getKey())))
                    .map(Map.Entry::getValue)
                    .sorted(Comparator.comparing(probe -> probe.order().target()))
                    .toList();
        }

        @Override
        int forgetOlderThan(Instant time) {
            return 0;
        }
    }
}
