package io.muster.job.node;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.Hold;
import io.muster.contract.node.HoldEffect;
import io.muster.contract.node.HoldScope;
import io.muster.contract.node.NodeState;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The newest state of each node that has been heard of; a copy, whose truth is health-service's. */
@Repository
public class NodeDirectory {

    private final JsonMapper json = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();
    private final JdbcClient jdbc;

    NodeDirectory(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    public void put(NodeState state) {
        jdbc.sql("""
                insert into node_view (node_id, session, state) values (:node, :session, :state)
                on conflict (node_id) do update set session = excluded.session, state = excluded.state""")
                .param("node", state.node().value())
                .param("session", state.session())
                .param("state", json.writeValueAsString(state))
                .update();
    }

    public Optional<NodeState> find(NodeId node) {
        return jdbc.sql("select state from node_view where node_id = :node")
                .param("node", node.value())
                .query((row, n) -> json.readValue(row.getString(1), NodeState.class))
                .optional();
    }

    /**
     * The states of these nodes, which stay as they are until the transaction ends. Waits for whoever is changing one, in
     * the order of their names, so that two gangs on the same nodes never wait for each other in a circle.
     */
    public List<NodeState> lock(Collection<NodeId> nodes) {
        return jdbc.sql("select state from node_view where node_id in (:nodes) order by node_id for share")
                .param("nodes", nodes.stream().map(NodeId::value).toList())
                .query((row, n) -> json.readValue(row.getString(1), NodeState.class))
                .list();
    }

    /** Those of these nodes that are marked as spares. */
    public Set<NodeId> spares(Collection<NodeId> nodes) {
        return jdbc
                .sql("select state from node_view where node_id in (:nodes)")
                .param("nodes", nodes.stream().map(NodeId::value).toList())
                .query((row, n) -> json.readValue(row.getString(1), NodeState.class))
                .list()
                .stream()
                .filter(NodeState::spare)
                .map(NodeState::node)
                .collect(Collectors.toSet());
    }

    /** The node's newest life; 0 if nothing has been heard of it. */
    public long session(NodeId node) {
        return jdbc.sql("select session from node_view where node_id = :node")
                .param("node", node.value())
                .query(Long.class)
                .optional()
                .orElse(0L);
    }

    public static boolean evicts(List<Hold> holds) {
        return holds.stream().anyMatch(NodeDirectory::takesAway);
    }

    /** Whether a hold takes the node away from whoever is on it. A hold on a GPU keeps new work off it and wounds nobody. */
    public static boolean takesAway(Hold hold) {
        return hold.effect() == HoldEffect.EVICT && hold.scope() != HoldScope.GPU;
    }

    /** Whether no hold keeps new work off the node as a whole. */
    public static boolean takesNewWork(List<Hold> holds) {
        return holds.stream()
                .noneMatch(hold -> hold.scope() != HoldScope.GPU
                        && (hold.effect() == HoldEffect.EVICT || hold.effect() == HoldEffect.NO_NEW_WORK));
    }
}
