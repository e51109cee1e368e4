package io.muster.health.registry;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.NodeFacts;
import io.muster.health.node.Timestamps;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Hashes of join tokens, and who used each of them up. */
@Repository
class JoinTokenRepository {

    /**
     * A token as it is stored.
     *
     * @param joinedBoot the boot of the machine that used it
     * @param settledAt when the node used its session or began another; from then on the join cannot be repeated
     */
    record Stored(
            NodeId node,
            @Nullable Instant expiresAt,
            @Nullable Instant usedAt,
            @Nullable String joinedBoot,
            @Nullable String joinedAddress,
            int joinedPort,
            @Nullable Instant settledAt) {}

    private final JdbcClient jdbc;

    JoinTokenRepository(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** One that is there already stays as it is, above all stays used. */
    void add(String hash, NodeId node, String by, Instant now, @Nullable Instant expiresAt) {
        jdbc.sql("""
                        insert into join_token (token_hash, node_id, created_by, created_at, expires_at)
                        values (:hash, :node, :by, :now, :expires) on conflict do nothing""")
                .param("hash", hash)
                .param("node", node.value())
                .param("by", by)
                .param("now", Timestamps.of(now))
                .param("expires", Timestamps.orNull(expiresAt))
                .update();
    }

    /**
     * Uses the token for this join, or for its repetition; false if it is worth nothing to this caller. One statement
     * compares and sets: of two joins at once the second waits for the first to commit and is then compared with what
     * that one has written, so a token serves one joining only. The time of the first use stays: a repetition does not
     * prolong the limit. What is null, of a token or of a request, equals nothing.
     */
    boolean claim(String hash, NodeFacts facts, Instant now, Instant repeatableAfter) {
        return jdbc.sql("""
                        update join_token set used_at = coalesce(used_at, :now),
                            joined_boot = :boot, joined_address = :address, joined_port = :port
                        where token_hash = :hash and node_id = :node
                          and (used_at is null and (expires_at is null or expires_at > :now)
                            or settled_at is null and used_at > :repeatableAfter
                              and joined_boot = :boot and joined_address = :address and joined_port = :port)""")
                        .param("hash", hash)
                        .param("node", facts.node().value())
                        .param("boot", facts.bootId())
                        .param("address", facts.agentAddress())
                        .param("port", facts.agentPort())
                        .param("now", Timestamps.of(now))
                        .param("repeatableAfter", Timestamps.of(repeatableAfter))
                        .update()
                == 1;
    }

    /** The session that the join got, in the transaction of {@link #claim}. */
    void joined(String hash, long session) {
        jdbc.sql("update join_token set joined_session = :session where token_hash = :hash")
                .param("session", session)
                .param("hash", hash)
                .update();
    }

    /** The node has used this session: it and what it joined with before cannot be repeated. */
    void settle(NodeId node, long session, Instant now) {
        jdbc.sql("""
                        update join_token set settled_at = :now
                        where node_id = :node and used_at is not null and settled_at is null
                          and joined_session <= :session""")
                .param("now", Timestamps.of(now))
                .param("node", node.value())
                .param("session", session)
                .update();
    }

    Optional<Stored> find(String hash) {
        return jdbc.sql("""
                        select node_id, expires_at, used_at, joined_boot, joined_address, joined_port, settled_at
                        from join_token where token_hash = :hash""")
                .param("hash", hash)
                .query((row, n) -> new Stored(
                        new NodeId(row.getString("node_id")),
                        Timestamps.readOrNull(row, "expires_at"),
                        Timestamps.readOrNull(row, "used_at"),
                        row.getString("joined_boot"),
                        row.getString("joined_address"),
                        row.getInt("joined_port"),
                        Timestamps.readOrNull(row, "settled_at")))
                .optional();
    }
}
