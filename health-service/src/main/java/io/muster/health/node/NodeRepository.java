package io.muster.health.node;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.Hold;
import io.muster.contract.node.HoldEffect;
import io.muster.contract.node.HoldScope;
import io.muster.contract.node.NodeFacts;
import io.muster.health.hold.HoldBook;
import io.muster.health.hold.HoldCause;
import io.muster.health.hold.OpenHold;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Nodes and their holds in the database. A closed hold stays as history. */
@Repository
class NodeRepository {

    private static final String NODE_COLUMNS = "node_id, session, session_ended, facts, facts_at, inventory_gpus,"
            + " registered_at, token_expires_at, spare, sequence";

    private final JdbcClient jdbc;
    private final JsonMapper json;

    NodeRepository(JdbcClient jdbc, JsonMapper json) {
        this.jdbc = jdbc;
        this.json = json.rebuild()
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .build();
    }

    /** Locks the node's row until the transaction ends, so that changes of one node follow each other. */
    Optional<NodeRecord> lock(NodeId node) {
        return jdbc.sql("select " + NODE_COLUMNS + " from node where node_id = :node for update")
                .param("node", node.value())
                .query(this::row)
                .optional()
                .map(found -> found.with(holdsOf(node)));
    }

    Optional<NodeRecord> find(NodeId node) {
        return jdbc.sql("select " + NODE_COLUMNS + " from node where node_id = :node")
                .param("node", node.value())
                .query(this::row)
                .optional()
                .map(found -> found.with(holdsOf(node)));
    }

    List<NodeRecord> all() {
        List<NodeRecord> found = jdbc.sql("select " + NODE_COLUMNS + " from node order by node_id")
                .query(this::row)
                .list();
        return found.isEmpty()
                ? found
                : withHolds(found, "", found.getLast().node().value());
    }

    List<NodeRecord> page(NodeFilter filter, String after, int limit) {
        List<NodeRecord> found = jdbc.sql("select " + NODE_COLUMNS + " " + """
                        from node
                        where node_id > :after
                          and (:condition = '' or condition = :condition)
                          and (:rack = '' or rack = :rack)
                        order by node_id limit :limit""")
                .param("after", after)
                .param(
                        "condition",
                        filter.condition() == null ? "" : filter.condition().name())
                .param("rack", filter.rack() == null ? "" : filter.rack())
                .param("limit", limit)
                .query(this::row)
                .list();
        return found.isEmpty()
                ? found
                : withHolds(found, after, found.getLast().node().value());
    }

    /** The living node at this address, if another one has it. */
    Optional<NodeId> livingAt(String address, int port, NodeId butNot) {
        return jdbc.sql("""
                        select node_id from node
                        where agent_address = :address and agent_port = :port and not session_ended and node_id <> :node
                        """)
                .param("address", address)
                .param("port", port)
                .param("node", butNot.value())
                .query(String.class)
                .optional()
                .map(NodeId::new);
    }

    List<NodeId> withExpiredHolds(Instant now) {
        return jdbc
                .sql(
                        "select distinct node_id from hold where closed_at is null and expires_at <= :now order by node_id")
                .param("now", Timestamps.of(now))
                .query(String.class)
                .list()
                .stream()
                .map(NodeId::new)
                .toList();
    }

    int openedSince(NodeId node, HoldCause cause, Instant since) {
        return jdbc.sql("select count(*) from hold where node_id = :node and cause = :cause and since >= :since")
                .param("node", node.value())
                .param("cause", cause.name())
                .param("since", Timestamps.of(since))
                .query(Integer.class)
                .single();
    }

    void insert(NodeRecord node) {
        write(node, """
                insert into node (node_id, session, session_ended, facts, facts_at, inventory_gpus, agent_address,
                    agent_port, rack, condition, registered_at, token_expires_at, spare, sequence)
                values (:node, :session, :ended, :facts::jsonb, :factsAt, :gpus, :address,
                    :port, :rack, :condition, :registeredAt, :tokenExpiresAt, :spare, :sequence)""");
    }

    void update(NodeRecord node) {
        write(node, """
                update node set session = :session, session_ended = :ended, facts = :facts::jsonb, facts_at = :factsAt,
                    inventory_gpus = :gpus, agent_address = :address, agent_port = :port, rack = :rack,
                    condition = :condition, registered_at = :registeredAt, token_expires_at = :tokenExpiresAt,
                    spare = :spare, sequence = :sequence
                where node_id = :node""");
    }

    private void write(NodeRecord node, String sql) {
        NodeFacts facts = node.facts();
        jdbc.sql(sql)
                .param("node", node.node().value())
                .param("session", node.session())
                .param("ended", node.sessionEnded())
                .param("facts", json.writeValueAsString(facts))
                .param("factsAt", Timestamps.of(node.factsAt()))
                .param("gpus", node.inventoryGpus())
                .param("address", facts.agentAddress())
                .param("port", facts.agentPort())
                .param("rack", facts.domains().rack())
                .param("condition", node.condition().name())
                .param("registeredAt", Timestamps.of(node.registeredAt()))
                .param("tokenExpiresAt", Timestamps.of(node.tokenExpiresAt()))
                .param("spare", node.spare())
                .param("sequence", node.sequence())
                .update();
    }

    /** Writes the difference between two books of a node. */
    void writeHolds(NodeId node, HoldBook before, HoldBook after, String because, Instant now) {
        Map<String, OpenHold> known = before.open().stream()
                .collect(Collectors.toMap(open -> open.hold().holdId(), open -> open));
        // closing first: the index allows one open hold for one matter
        List<OpenHold> written = new ArrayList<>();
        for (OpenHold open : after.open()) {
            OpenHold was = known.remove(open.hold().holdId());
            if (!open.equals(was)) {
                written.add(open);
            }
        }
        known.keySet().forEach(gone -> close(node, gone, because, now));
        written.forEach(open -> put(node, open));
    }

    private void close(NodeId node, String holdId, String because, Instant now) {
        jdbc.sql(
                        "update hold set closed_at = :now, closed_because = :because where hold_id = :hold and node_id = :node")
                .param("now", Timestamps.of(now))
                .param("because", because)
                .param("hold", holdId)
                .param("node", node.value())
                .update();
    }

    private void put(NodeId node, OpenHold open) {
        Hold hold = open.hold();
        jdbc.sql("""
                        insert into hold (hold_id, node_id, scope, target, effect, cause, message, owner, session, since,
                            not_before, expires_at)
                        values (:hold, :node, :scope, :target, :effect, :cause, :message, :owner, :session, :since,
                            :notBefore, :expiresAt)
                        on conflict (hold_id, node_id) do update set message = excluded.message, session = excluded.session,
                            not_before = excluded.not_before, expires_at = excluded.expires_at""")
                .param("hold", hold.holdId())
                .param("node", node.value())
                .param("scope", hold.scope().name())
                .param("target", hold.target())
                .param("effect", hold.effect().name())
                .param("cause", hold.cause())
                .param("message", hold.message())
                .param("owner", hold.owner())
                .param("session", hold.session())
                .param("since", Timestamps.of(hold.since()))
                .param("notBefore", Timestamps.orNull(open.notBefore()))
                .param("expiresAt", Timestamps.orNull(hold.expiresAt()))
                .update();
    }

    private HoldBook holdsOf(NodeId node) {
        return new HoldBook(jdbc.sql("select * from hold where node_id = :node and closed_at is null order by hold_id")
                .param("node", node.value())
                .query((row, n) -> holdRow(row))
                .list());
    }

    /** All holds of a range of names at once. */
    private List<NodeRecord> withHolds(List<NodeRecord> nodes, String after, String last) {
        Map<String, List<OpenHold>> byNode = new HashMap<>();
        jdbc.sql("""
                        select * from hold
                        where closed_at is null and node_id > :after and node_id <= :last order by hold_id""")
                .param("after", after)
                .param("last", last)
                .query((row, n) -> {
                    byNode.computeIfAbsent(row.getString("node_id"), id -> new ArrayList<>())
                            .add(holdRow(row));
                    return row.getString("hold_id");
                })
                .list();
        return nodes.stream()
                .map(node ->
                        node.with(new HoldBook(byNode.getOrDefault(node.node().value(), List.of()))))
                .toList();
    }

    private static OpenHold holdRow(ResultSet row) throws SQLException {
        HoldCause cause = HoldCause.valueOf(row.getString("cause"));
        return new OpenHold(
                cause,
                new Hold(
                        row.getString("hold_id"),
                        HoldScope.valueOf(row.getString("scope")),
                        row.getString("target"),
                        HoldEffect.valueOf(row.getString("effect")),
                        cause.name(),
                        row.getString("message"),
                        row.getString("owner"),
                        row.getLong("session"),
                        Timestamps.read(row, "since"),
                        Timestamps.readOrNull(row, "expires_at")),
                Timestamps.readOrNull(row, "not_before"));
    }

    private NodeRecord row(ResultSet row, int number) throws SQLException {
        return new NodeRecord(
                new NodeId(row.getString("node_id")),
                row.getLong("session"),
                row.getBoolean("session_ended"),
                json.readValue(row.getString("facts"), NodeFacts.class),
                Timestamps.read(row, "facts_at"),
                row.getInt("inventory_gpus"),
                HoldBook.EMPTY,
                Timestamps.read(row, "registered_at"),
                Timestamps.read(row, "token_expires_at"),
                row.getBoolean("spare"),
                row.getLong("sequence"));
    }
}
