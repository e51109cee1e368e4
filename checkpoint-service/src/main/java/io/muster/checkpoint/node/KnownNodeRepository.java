package io.muster.checkpoint.node;

import io.muster.contract.id.NodeId;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** One row for each node. */
@Repository
class KnownNodeRepository {

    private final JdbcClient jdbc;

    KnownNodeRepository(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** The consumer applies rising sequences only, so the newest state wins here. */
    void put(KnownNode node) {
        jdbc.sql("""
                        insert into known_node (node, memory, rack, power, address, port, evicted)
                        values (:node, :memory, :rack, :power, :address, :port, :evicted)
                        on conflict (node) do update
                        set memory = excluded.memory, rack = excluded.rack, power = excluded.power,
                            address = excluded.address, port = excluded.port, evicted = excluded.evicted""")
                .param("node", node.node().value())
                .param("memory", node.memory())
                .param("rack", node.rack())
                .param("power", node.power())
                .param("address", node.address())
                .param("port", node.port())
                .param("evicted", node.evicted())
                .update();
    }

    Map<NodeId, KnownNode> find(Collection<NodeId> asked) {
        if (asked.isEmpty()) {
            return Map.of();
        }
        Map<NodeId, KnownNode> found = new TreeMap<>();
        String[] names = asked.stream().map(NodeId::value).toArray(String[]::new);
        jdbc.sql("select * from known_node where node = any(:names)")
                .param("names", names)
                .query(row -> {
                    var node = new KnownNode(
                            new NodeId(row.getString("node")),
                            row.getString("memory"),
                            row.getString("rack"),
                            row.getString("power"),
                            row.getString("address"),
                            row.getInt("port"),
                            row.getString("evicted"));
                    found.put(node.node(), node);
                });
        return found;
    }
}
