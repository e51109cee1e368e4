package io.muster.job.node;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.NodeState;
import io.muster.simulation.Database;
import io.muster.simulation.Table;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;

/** {@link NodeDirectory} without SQL. */
public final class RememberedNodes extends NodeDirectory {

    private final Table<NodeId, NodeState> states;

    @SuppressWarnings("NullAway")
    public RememberedNodes(Database database) {
        super((JdbcClient) null);
        this.states = new Table<>(database);
    }

    @Override
    public void put(NodeState state) {
        states.put(state.node(), state);
    }

    @Override
    public Optional<NodeState> find(NodeId node) {
        return states.find(node);
    }

    @Override
    public List<NodeState> lock(Collection<NodeId> nodes) {
        return nodes.stream().sorted().map(states::get).filter(Objects::nonNull).toList();
    }

    @Override
    public long session(NodeId node) {
        return find(node).map(NodeState::session).orElse(0L);
    }
}
