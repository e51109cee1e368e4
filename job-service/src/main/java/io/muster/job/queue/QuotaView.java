package io.muster.job.queue;

import io.muster.contract.quota.QuotaTree;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The quota tree as it was last heard of; a copy, whose truth is quota-service's. */
@Repository
public class QuotaView {

    private final JsonMapper json = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();
    private final JdbcClient jdbc;

    QuotaView(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    void put(QuotaTree tree) {
        jdbc.sql("""
                insert into quota_view (version, tree) values (:version, :tree)
                on conflict (only_one) do update set version = excluded.version, tree = excluded.tree""")
                .param("version", tree.version())
                .param("tree", json.writeValueAsString(tree))
                .update();
    }

    /** Empty until quota-service has been heard of for the first time. */
    public Optional<QuotaTree> tree() {
        return jdbc.sql("select tree from quota_view")
                .query((row, n) -> json.readValue(row.getString(1), QuotaTree.class))
                .optional();
    }
}
