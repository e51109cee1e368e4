package io.muster.scheduler.intake;

import io.muster.contract.job.JobState;
import io.muster.contract.node.NodeState;
import io.muster.contract.quota.QuotaTree;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Transactional;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The projections and how the decision thread reads what is new in them.
 *
 * <p>A row's {@code changed_in} is the id of the transaction that wrote it. A reading returns, with its rows, the
 * horizon of its snapshot: the lowest transaction id that was still open. Whatever commits later has an id at or above
 * that horizon, so the next reading, which asks for {@code changed_in >= horizon}, misses nothing, however commits and
 * sequences overtake each other. A row may be read twice; its sequence says so.
 */
@Repository
public class ProjectionRepository {

    /** Before every transaction: the next reading is of everything. */
    public static final String FROM_THE_BEGINNING = "0";

    private final JdbcClient jdbc;
    private final JsonMapper json;

    ProjectionRepository(JdbcClient jdbc, JsonMapper json) {
        this.jdbc = jdbc;
        this.json = json.rebuild()
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .build();
    }

    /** A state and the event sequence that brought it. */
    public record Sequenced<T>(T state, long sequence) {}

    /** What changed, each list in the order of its keys, and from where to read next. */
    public record Changes(
            List<Sequenced<JobState>> jobs,
            List<Sequenced<NodeState>> nodes,
            Optional<Sequenced<QuotaTree>> quotas,
            String nextHorizon) {

        public boolean isEmpty() {
            return jobs.isEmpty() && nodes.isEmpty() && quotas.isEmpty();
        }
    }

    void save(JobState job, long sequence) {
        // the guard on sequence repeats the inbox's: a projection never goes back, whoever calls
        jdbc.sql("""
                INSERT INTO job_projection (job_id, sequence, ended, changed_in, state)
                VALUES (:key, :sequence, :ended, pg_current_xact_id(), CAST(:state AS jsonb))
                ON CONFLICT (job_id) DO UPDATE SET sequence = excluded.sequence, ended = excluded.ended,
                    changed_in = excluded.changed_in, state = excluded.state
                WHERE job_projection.sequence < excluded.sequence""")
                .param("key", job.jobId().value())
                .param("sequence", sequence)
                .param("ended", job.phase().ended())
                .param("state", json.writeValueAsString(job))
                .update();
    }

    void save(NodeState node, long sequence) {
        jdbc.sql("""
                INSERT INTO node_projection (node, sequence, changed_in, state)
                VALUES (:key, :sequence, pg_current_xact_id(), CAST(:state AS jsonb))
                ON CONFLICT (node) DO UPDATE SET sequence = excluded.sequence,
                    changed_in = excluded.changed_in, state = excluded.state
                WHERE node_projection.sequence < excluded.sequence""")
                .param("key", node.node().value())
                .param("sequence", sequence)
                .param("state", json.writeValueAsString(node))
                .update();
    }

    void save(QuotaTree tree, long sequence) {
        jdbc.sql("""
                INSERT INTO quota_projection (key, sequence, changed_in, state)
                VALUES (:key, :sequence, pg_current_xact_id(), CAST(:state AS jsonb))
                ON CONFLICT (key) DO UPDATE SET sequence = excluded.sequence,
                    changed_in = excluded.changed_in, state = excluded.state
                WHERE quota_projection.sequence < excluded.sequence""")
                .param("key", QuotaTree.KEY)
                .param("sequence", sequence)
                .param("state", json.writeValueAsString(tree))
                .update();
    }

    /**
     * Everything written by transactions at or above the horizon. From the beginning, jobs that have ended and hold
     * nothing are left out. One snapshot for all tables, so that the next horizon is true for each.
     */
    @Transactional(readOnly = true, isolation = Isolation.REPEATABLE_READ)
    public Changes changedSince(String horizon) {
        String next = jdbc.sql("SELECT CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text)")
                .query(String.class)
                .single();
        return new Changes(
                horizon.equals(FROM_THE_BEGINNING) ? openJobs() : changedJobs(horizon),
                rows(
                        NodeState.class,
                        "SELECT sequence, state FROM node_projection"
                                + " WHERE changed_in >= CAST(:horizon AS xid8) ORDER BY node",
                        horizon),
                rows(
                                QuotaTree.class,
                                "SELECT sequence, state FROM quota_projection"
                                        + " WHERE changed_in >= CAST(:horizon AS xid8) ORDER BY key",
                                horizon)
                        .stream()
                        .findFirst(),
                next);
    }

    private List<Sequenced<JobState>> openJobs() {
        return jdbc.sql("""
                SELECT p.sequence, p.state FROM job_projection p
                WHERE NOT p.ended
                   OR EXISTS (SELECT 1 FROM allocation a WHERE a.job_id = p.job_id AND a.ended_at IS NULL)
                ORDER BY p.job_id""")
                .query((row, _) -> read(JobState.class, row.getString(2), row.getLong(1)))
                .list();
    }

    private List<Sequenced<JobState>> changedJobs(String horizon) {
        return rows(
                JobState.class,
                "SELECT sequence, state FROM job_projection"
                        + " WHERE changed_in >= CAST(:horizon AS xid8) ORDER BY job_id",
                horizon);
    }

    private <T> List<Sequenced<T>> rows(Class<T> type, String sql, String horizon) {
        return jdbc.sql(sql)
                .param("horizon", horizon)
                .query((row, _) -> read(type, row.getString(2), row.getLong(1)))
                .list();
    }

    private <T> Sequenced<T> read(Class<T> type, String state, long sequence) {
        return new Sequenced<>(json.readValue(state, type), sequence);
    }
}
