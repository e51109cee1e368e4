package io.muster.job.metrics;

import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** How many jobs there are of which kind. */
@Repository
class JobCounts {

    /** @param label the state or the reason */
    record Count(String label, String queue, long jobs) {}

    /** By the index on ended_at: the table keeps every job that ever was. */
    static final String BY_STATE = """
            select phase, queue, count(*) from job
            where ended_at is null or ended_at > now() - interval '24 hours' group by phase, queue""";

    private final JdbcClient jdbc;

    JobCounts(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    List<Count> byState() {
        return counts(BY_STATE);
    }

    List<Count> pending() {
        return counts("select reason, queue, count(*) from job where phase = 'QUEUED' group by reason, queue");
    }

    private List<Count> counts(String sql) {
        return jdbc.sql(sql)
                .query((row, n) -> new Count(row.getString(1), row.getString(2), row.getLong(3)))
                .list();
    }
}
