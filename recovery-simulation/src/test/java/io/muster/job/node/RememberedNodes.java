package io.muster.job.node;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.NodeState;
import io.muster.simulation.Database;
import io.muster.simulation.Table;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
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
    public Set<NodeId> spares(Collection<NodeId> nodes) {
        return lock(nodes).stream()
                .filter(NodeState::spare)
                .map(NodeState::node)
                .collect(Collectors.toCollection(TreeSet::new));
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
