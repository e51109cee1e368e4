package io.muster.quota.ledger;

import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import io.muster.quota.ledger.LedgerInterval.Key;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The ledger's table. Sums are made in the database over whole milliseconds, so they are exact. */
@Repository
class LedgerRepository {

    private static final int BATCH = 500;

    private final JdbcClient jdbc;
    private final JdbcOperations batches;

    LedgerRepository(JdbcClient jdbc, JdbcOperations batches) {
        this.jdbc = jdbc;
        this.batches = batches;
    }

    List<LedgerInterval> ofJob(JobId job) {
        return jdbc.sql("""
                        select * from ledger_interval where job_id = ?
                        order by generation, since_millis, node""")
                .param(job.value())
                .query(LedgerRepository::interval)
                .list();
    }

    /**
     * What a state of this generation may touch: the intervals that are open, those of the generation, and those of
     * later ones, which show that the state is late.
     */
    List<LedgerInterval> touchedBy(JobId job, int generation) {
        return jdbc.sql("""
                        select * from ledger_interval
                        where job_id = ? and (until_millis is null or generation >= ?)
                        order by generation, since_millis, node""")
                .params(job.value(), generation)
                .query(LedgerRepository::interval)
                .list();
    }

    void apply(LedgerChange change) {
        batches.batchUpdate(
                "delete from ledger_interval where job_id = ? and node = ? and since_millis = ?",
                change.drop(),
                BATCH,
                (row, key) -> {
                    row.setString(1, key.job().value());
                    row.setString(2, key.node().value());
                    row.setLong(3, key.sinceMillis());
                });
        batches.batchUpdate("""
                insert into ledger_interval
                    (job_id, node, since_millis, until_millis, generation, gpus, tenant, project, queue)
                values (?, ?, ?, ?, ?, ?, ?, ?, ?)
                on conflict (job_id, node, since_millis) do update
                set until_millis = excluded.until_millis, generation = excluded.generation, gpus = excluded.gpus,
                    tenant = excluded.tenant, project = excluded.project, queue = excluded.queue""", change.put(), BATCH, (row, interval) -> {
            row.setString(1, interval.key().job().value());
            row.setString(2, interval.key().node().value());
            row.setLong(3, interval.key().sinceMillis());
            row.setObject(4, interval.untilMillis());
            row.setInt(5, interval.generation());
            row.setInt(6, interval.gpus());
            row.setString(7, interval.tenant().value());
            row.setString(8, interval.project().value());
            row.setString(9, interval.queue().value());
        });
    }

    Map<QueuePath, Long> heldByQueue() {
        Map<QueuePath, Long> held = new TreeMap<>();
        jdbc.sql("select queue, sum(gpus) as gpus from ledger_interval where until_millis is null group by queue")
                .query(row -> {
                    held.put(new QueuePath(row.getString("queue")), row.getLong("gpus"));
                });
        return held;
    }

    /** At most {@code limit} rows in the order of their keys; only {@code tenant}'s unless it is null. */
    List<UsageRow> usage(UsageQuestion question, @Nullable TenantId tenant, long nowMillis, int limit) {
        return jdbc.sql("""
                        select %s as key,
                               sum(gpus * greatest(0, least(coalesce(until_millis, :now), :to)
                                                      - greatest(since_millis, :from))) as gpu_millis,
                               coalesce(sum(gpus) filter (where until_millis is null), 0) as held
                        from ledger_interval
                        where since_millis < :to and (until_millis is null or until_millis > :from)
                          and (:everyTenant or tenant = :tenant)
                        group by 1 order by 1 limit :limit""".formatted(column(question.groupBy())))
                .param("now", nowMillis)
                .param("from", question.from().toEpochMilli())
                .param("to", question.to().toEpochMilli())
                .param("everyTenant", tenant == null)
                .param("tenant", tenant == null ? "" : tenant.value())
                .param("limit", limit)
                .query((row, number) ->
                        new UsageRow(row.getString("key"), row.getLong("gpu_millis"), row.getLong("held")))
                .list();
    }

    private static String column(UsageGroup group) {
        return switch (group) {
            case TENANT -> "tenant";
            case PROJECT -> "tenant || '/' || project";
            case QUEUE -> "queue";
            case JOB -> "job_id";
        };
    }

    private static LedgerInterval interval(ResultSet row, int number) throws SQLException {
        return new LedgerInterval(
                new Key(
                        new JobId(row.getString("job_id")),
                        new NodeId(row.getString("node")),
                        row.getLong("since_millis")),
                row.getObject("until_millis", Long.class),
                row.getInt("generation"),
                row.getInt("gpus"),
                new TenantId(row.getString("tenant")),
                new ProjectId(row.getString("project")),
                new QueuePath(row.getString("queue")));
    }
}
