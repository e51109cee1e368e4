package io.muster.health.registry;

import io.muster.contract.id.NodeId;
import io.muster.health.node.Timestamps;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Hashes of join tokens. */
@Repository
class JoinTokenRepository {

    /** A token as it is stored. */
    record Stored(
            NodeId node,
            @Nullable Instant expiresAt,
            @Nullable Instant usedAt) {}

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

    /** Locked until the transaction ends, so that of two joins with one token the second sees it used. */
    Optional<Stored> lock(String hash) {
        return jdbc.sql("select node_id, expires_at, used_at from join_token where token_hash = :hash for update")
                .param("hash", hash)
                .query((row, n) -> new Stored(
                        new NodeId(row.getString("node_id")),
                        Timestamps.readOrNull(row, "expires_at"),
                        Timestamps.readOrNull(row, "used_at")))
                .optional();
    }

    void use(String hash, Instant now) {
        jdbc.sql("update join_token set used_at = :now where token_hash = :hash")
                .param("now", Timestamps.of(now))
                .param("hash", hash)
                .update();
    }
}
