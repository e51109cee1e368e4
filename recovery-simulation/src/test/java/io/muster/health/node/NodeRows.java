package io.muster.health.node;

import io.muster.contract.id.NodeId;
import io.muster.edge.id.Ids;
import io.muster.health.hold.HoldBook;
import io.muster.health.hold.HoldCause;
import io.muster.messaging.Outbox;
import io.muster.simulation.Database;
import io.muster.simulation.Several;
import io.muster.simulation.Table;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** The registry without SQL, and the real {@link Nodes} on it. */
public final class NodeRows {

    private record Opened(NodeId node, HoldCause cause, Instant since) {}

    private final Database database;
    private final Table<NodeId, NodeRecord> nodes;
    private final Table<String, Opened> holds;
    private final Rows rows = new Rows();

    public NodeRows(Database database) {
        this.database = database;
        this.nodes = new Table<>(database);
        this.holds = new Table<>(database);
    }

    /** What one life of the service works with. */
    public Nodes nodes(Outbox outbox, Ids ids, Clock clock, ObjectProvider<NodeWatcher> watchers) {
        return new Nodes(
                rows, outbox, new TransactionTemplate(database), ids, clock, watchers, new Several<>(List.of()));
    }

    /** A node that has joined long ago. */
    public void begin(NodeRecord record) {
        database.writing(() -> nodes.put(record.node(), record));
    }

    public Optional<NodeRecord> find(NodeId node) {
        return nodes.find(node);
    }

    public List<NodeRecord> all() {
        return List.copyOf(nodes.rows().values());
    }

    @SuppressWarnings("NullAway")
    private final class Rows extends NodeRepository {

        private Rows() {
            super((JdbcClient) null, new JsonMapper());
        }

        @Override
        Optional<NodeRecord> lock(NodeId node) {
            return nodes.find(node);
        }

        @Override
        Optional<NodeRecord> find(NodeId node) {
            return nodes.find(node);
        }

        @Override
        List<NodeRecord> all() {
            return NodeRows.this.all();
        }

        @Override
        Optional<NodeId> livingAt(String address, int port, NodeId butNot) {
            return nodes.rows().values().stream()
                    .filter(node -> !node.node().equals(butNot) && !node.sessionEnded())
                    .filter(node -> node.facts().agentAddress().equals(address)
                            && node.facts().agentPort() == port)
                    .map(NodeRecord::node)
                    .findFirst();
        }

        @Override
        List<NodeId> withExpiredHolds(Instant now) {
            return nodes.rows().values().stream()
                    .filter(node -> node.holds().holds().stream()
                            .anyMatch(hold -> hold.expiresAt() != null
                                    && !hold.expiresAt().isAfter(now)))
                    .map(NodeRecord::node)
                    .toList();
        }

        @Override
        int openedSince(NodeId node, HoldCause cause, Instant since) {
            return (int) holds.rows().values().stream()
                    .filter(hold -> hold.node.equals(node) && hold.cause == cause && !hold.since.isBefore(since))
                    .count();
        }

        @Override
        void insert(NodeRecord node) {
            nodes.put(node.node(), node);
        }

        @Override
        void update(NodeRecord node) {
            nodes.put(node.node(), node);
        }

        @Override
        void writeHolds(NodeId node, HoldBook before, HoldBook after, String because, Instant now) {
            after.open().stream()
                    .filter(open -> !before.open().contains(open))
                    .forEach(open -> holds.put(
                            open.hold().holdId(),
                            new Opened(node, open.cause(), open.hold().since())));
        }
    }
}
