package io.muster.job;

import io.muster.contract.id.QueuePath;
import io.muster.contract.quota.QuotaNode;
import io.muster.contract.quota.QuotaTree;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.json.JsonMapper;

/** The quota tree that job-service has heard of. */
public final class TestQuota {

    private TestQuota() {}

    /** 64 GPUs at the root and one queue, open to all. */
    public static void heardOfOneQueue(JdbcClient jdbc) {
        heardOf(
                jdbc,
                List.of(
                        new QuotaNode(QueuePath.ROOT, 64, null, 1, false, false, false, null, List.of()),
                        new QuotaNode(new QueuePath("default"), 0, null, 1, false, true, false, null, List.of())));
    }

    public static void heardOf(JdbcClient jdbc, List<QuotaNode> nodes) {
        jdbc.sql("""
                        insert into quota_view (version, tree) values (1, :tree)
                        on conflict (only_one) do update set tree = excluded.tree""")
                .param("tree", JsonMapper.builder().build().writeValueAsString(new QuotaTree(1, nodes)))
                .update();
    }
}
