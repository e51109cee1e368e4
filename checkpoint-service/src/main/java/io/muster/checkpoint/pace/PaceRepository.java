package io.muster.checkpoint.pace;

import io.muster.contract.id.JobId;
import java.time.ZoneOffset;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Planned steps and the pace of attempts. Plans of an attempt are made one at a time, whichever instance is asked: the
 * planner holds an advisory lock of the job until its transaction ends, because before the first plan there is no row
 * that could be locked.
 */
@Repository
class PaceRepository {

    private final JdbcClient jdbc;

    PaceRepository(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    void lock(JobId job) {
        jdbc.sql("select pg_advisory_xact_lock(hashtextextended('save-plan/' || ?, 0))")
                .param(job.value())
                .query(row -> {});
    }

    /** The first planned step above this one. */
    Optional<Long> plannedAfter(JobId job, int attempt, long step) {
        return jdbc.sql("select min(step) from save_step where job_id = ? and attempt = ? and step > ?")
                .params(job.value(), attempt, step)
                .query(Long.class)
                .optional();
    }

    Optional<Pace> pace(JobId job, int attempt) {
        return jdbc.sql("select * from save_pace where job_id = ? and attempt = ?")
                .params(job.value(), attempt)
                .query((row, number) -> new Pace(
                        row.getLong("highest_step"),
                        row.getLong("planned_from"),
                        row.getTimestamp("planned_at").toInstant(),
                        row.getLong("planned_step"),
                        row.getLong("distance")))
                .optional();
    }

    void raiseHighest(JobId job, int attempt, long step) {
        jdbc.sql("update save_pace set highest_step = ? where job_id = ? and attempt = ? and highest_step < ?")
                .params(step, job.value(), attempt, step)
                .update();
    }

    /** Stores a new plan; what was planned for earlier attempts is of no use any more. */
    void plan(JobId job, int attempt, Pace pace) {
        for (String table : new String[] {"save_step", "save_pace"}) {
            jdbc.sql("delete from " + table + " where job_id = ? and attempt < ?")
                    .params(job.value(), attempt)
                    .update();
        }
        jdbc.sql("insert into save_step (job_id, attempt, step) values (?, ?, ?)")
                .params(job.value(), attempt, pace.plannedStep())
                .update();
        jdbc.sql("""
                        insert into save_pace
                            (job_id, attempt, highest_step, planned_from, planned_at, planned_step, distance)
                        values (?, ?, ?, ?, ?, ?, ?)
                        on conflict (job_id, attempt) do update
                        set highest_step = excluded.highest_step, planned_from = excluded.planned_from,
                            planned_at = excluded.planned_at, planned_step = excluded.planned_step,
                            distance = excluded.distance""")
                .params(
                        job.value(),
                        attempt,
                        pace.highestStep(),
                        pace.plannedFrom(),
                        pace.plannedAt().atOffset(ZoneOffset.UTC),
                        pace.plannedStep(),
                        pace.distance())
                .update();
    }
}
