package io.muster.quota.tree;

import io.muster.contract.quota.QuotaTree;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import tools.jackson.databind.json.JsonMapper;

/** The versions of the tree and the row that says which one holds. */
@Repository
class QuotaTreeRepository {

    private final JdbcClient jdbc;
    private final JsonMapper json;

    QuotaTreeRepository(JdbcClient jdbc, JsonMapper json) {
        this.jdbc = jdbc;
        this.json = json;
    }

    Optional<QuotaTree> newest() {
        return jdbc.sql("select document from quota_tree_version join quota_tree_head using (version)")
                .query(String.class)
                .optional()
                .map(document -> json.readValue(document, QuotaTree.class));
    }

    /**
     * The newest tree, and nobody else replaces it until this transaction ends: the lock on the one row of the head makes
     * "read the version, judge, write the next one" a single step.
     */
    Optional<QuotaTree> newestLocked() {
        return jdbc.sql("select version from quota_tree_head for update")
                .query(Long.class)
                .optional()
                .map(version -> json.readValue(
                        jdbc.sql("select document from quota_tree_version where version = ?")
                                .param(version)
                                .query(String.class)
                                .single(),
                        QuotaTree.class));
    }

    /** False if another instance has stored the first tree meanwhile; the primary key decides who was first. */
    boolean addFirst(QuotaTree tree, Instant now) {
        int added = jdbc.sql("""
                        insert into quota_tree_version (version, document, made_at) values (?, ?::jsonb, ?)
                        on conflict do nothing""")
                .params(tree.version(), json.writeValueAsString(tree), now.atOffset(ZoneOffset.UTC))
                .update();
        if (added == 1) {
            jdbc.sql("insert into quota_tree_head (version) values (?)")
                    .param(tree.version())
                    .update();
        }
        return added == 1;
    }

    void replace(QuotaTree tree, Instant now) {
        jdbc.sql("insert into quota_tree_version (version, document, made_at) values (?, ?::jsonb, ?)")
                .params(tree.version(), json.writeValueAsString(tree), now.atOffset(ZoneOffset.UTC))
                .update();
        jdbc.sql("update quota_tree_head set version = ?").param(tree.version()).update();
    }

    void audit(AuditEntry entry) {
        jdbc.sql("insert into quota_audit (version, key_id, made_at, differences) values (?, ?, ?, ?::jsonb)")
                .params(
                        entry.version(),
                        entry.keyId(),
                        entry.at().atOffset(ZoneOffset.UTC),
                        json.writeValueAsString(entry.differences()))
                .update();
    }

    /** Newest first, from below {@code before}; one more than asked for tells whether there is a next page. */
    List<AuditEntry> auditBefore(@Nullable Long before, int limit) {
        return jdbc.sql("""
                        select version, key_id, made_at, differences from quota_audit
                        where version < ? order by version desc limit ?""")
                .params(before == null ? Long.MAX_VALUE : before, limit)
                .query((row, number) -> new AuditEntry(
                        row.getLong("version"),
                        row.getString("key_id"),
                        row.getTimestamp("made_at").toInstant(),
                        Arrays.asList(json.readValue(row.getString("differences"), String[].class))))
                .list();
    }
}
