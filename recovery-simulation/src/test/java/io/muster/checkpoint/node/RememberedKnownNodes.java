package io.muster.checkpoint.node;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.NodeState;
import io.muster.simulation.Database;
import io.muster.simulation.Table;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The nodes that checkpoint-service has heard of, without SQL, and the real {@link KnownNodes} on them. */
public final class RememberedKnownNodes {

    private final Table<NodeId, KnownNode> rows;
    private final KnownNodes nodes = new KnownNodes(new Rows());

    public RememberedKnownNodes(Database database) {
        this.rows = new Table<>(database);
    }

    public KnownNodes nodes() {
        return nodes;
    }

    public void record(NodeState state) {
        nodes.record(state);
    }

    @SuppressWarnings("NullAway")
    private final class Rows extends KnownNodeRepository {

        private Rows() {
            super((JdbcClient) null);
        }

        @Override
        void put(KnownNode node) {
            rows.put(node.node(), node);
        }

        @Override
        Map<NodeId, KnownNode> find(Collection<NodeId> asked) {
            Map<NodeId, KnownNode> found = new TreeMap<>();
            asked.forEach(node -> rows.find(node).ifPresent(known -> found.put(node, known)));
            return found;
        }
    }
}
