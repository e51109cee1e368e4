package io.muster.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Reads every allocation there ever was from the tables and checks it interval by interval. */
final class AllocationChecker {

    /** One GPU held by one allocation in [since, until). */
    record Interval(
            String allocation, Instant since, @Nullable Instant until) {

        boolean overlaps(Interval later) {
            return until == null || until.isAfter(later.since);
        }
    }

    private final JdbcClient sql;

    AllocationChecker(JdbcClient sql) {
        this.sql = sql;
    }

    void noGpuWasEverHeldTwice() {
        Map<String, List<Interval>> byGpu = new TreeMap<>();
        sql.sql("""
                SELECT node || '/' || gpu, job_id || '#' || generation, since, until
                FROM allocation_member, unnest(gpus) AS gpu ORDER BY 1, since, until NULLS LAST""").query(row -> {
            OffsetDateTime until = row.getObject(4, OffsetDateTime.class);
            byGpu.computeIfAbsent(row.getString(1), _ -> new ArrayList<>())
                    .add(new Interval(
                            row.getString(2),
                            row.getObject(3, OffsetDateTime.class).toInstant(),
                            until == null ? null : until.toInstant()));
        });
        assertThat(byGpu).isNotEmpty();
        byGpu.forEach((gpu, intervals) -> {
            for (int i = 1; i < intervals.size(); i++) {
                assertThat(intervals.get(i - 1).overlaps(intervals.get(i)))
                        .as("%s: %s", gpu, intervals)
                        .isFalse();
            }
        });
    }

    /** The guard table says the same as the history. */
    void heldGpusAreThoseOfLiveMembers() {
        assertThat(sql.sql("SELECT node || '/' || gpu FROM held_gpu ORDER BY 1")
                        .query(String.class)
                        .list())
                .isEqualTo(sql.sql("""
                        SELECT node || '/' || gpu FROM allocation_member, unnest(gpus) AS gpu
                        WHERE until IS NULL ORDER BY 1""").query(String.class).list());
        assertThat(sql.sql("""
                SELECT count(*) FROM allocation a WHERE (a.ended_at IS NULL) <>
                    EXISTS (SELECT 1 FROM allocation_member m
                            WHERE m.job_id = a.job_id AND m.generation = a.generation AND m.until IS NULL)""").query(Long.class).single()).isZero();
    }

    /** Of a repaired gang every healthy member goes on, on the same GPUs in the same rank, at the moment its row ends. */
    void repairsLeaveNoGapAndNoOverlap() {
        assertThat(sql.sql("""
                SELECT m.job_id || '#' || m.generation || ' on ' || m.node
                FROM allocation_member m JOIN allocation a USING (job_id, generation)
                LEFT JOIN allocation_member n
                  ON n.job_id = a.job_id AND n.generation = a.repaired_by AND n.node_rank = m.node_rank
                WHERE a.repaired_by IS NOT NULL
                  AND (n.node IS NULL OR n.since <> a.ended_at
                       OR (NOT m.lost AND NOT (n.node = m.node AND n.gpus = m.gpus AND m.until = n.since)))""").query(String.class).list()).isEmpty();
        assertThat(sql.sql("""
                SELECT count(*) FROM allocation a WHERE a.repaired_by IS NOT NULL AND NOT EXISTS (
                    SELECT 1 FROM allocation n WHERE n.job_id = a.job_id AND n.generation = a.repaired_by
                      AND n.placed_at = a.ended_at)""").query(Long.class).single()).isZero();
    }

    /** The most GPUs that all allocations of a queue, and of those below it, held at any moment. */
    long mostHeldAtOnce(String queue) {
        return sql.sql("""
                WITH gangs AS (
                    SELECT cardinality(m.gpus) AS gpus, m.since, m.until
                    FROM allocation_member m JOIN allocation a USING (job_id, generation)
                    WHERE a.queue = :queue OR a.queue LIKE :queue || '/%'),
                steps AS (SELECT since AS at, gpus AS change FROM gangs
                          UNION ALL SELECT until, -gpus FROM gangs WHERE until IS NOT NULL),
                sums AS (SELECT at, sum(change) AS change FROM steps GROUP BY at)
                SELECT COALESCE(max(held), 0) FROM (SELECT sum(change) OVER (ORDER BY at) AS held FROM sums) AS line""").param("queue", queue).query(Long.class).single();
    }

    long held() {
        return sql.sql("SELECT count(*) FROM held_gpu").query(Long.class).single();
    }
}
