package io.muster.job.lifecycle;

import io.muster.contract.id.JobId;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Which jobs must be looked at, and when. */
@Repository
class WakeStore {

    private final JdbcClient jdbc;

    WakeStore(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /**
     * Takes due jobs by moving their time ahead: another instance skips the rows being taken, and does not find them due
     * afterwards. An instance that dies with them leaves jobs that are due again after the lease.
     */
    List<JobId> take(Instant now, int most, Duration lease) {
        return jdbc.sql("""
                update job set wake_at = :later where job_id in (
                    select job_id from job where wake_at <= :now order by wake_at limit :most for update skip locked)
                returning job_id""")
                .param("later", JobStore.time(now.plus(lease)))
                .param("now", JobStore.time(now))
                .param("most", most)
                .query((row, n) -> new JobId(row.getString(1)))
                .list();
    }

    /** Only for a job that is still to be looked at: one that has ended meanwhile stays at rest. */
    void again(JobId job, Instant at) {
        jdbc.sql("update job set wake_at = least(wake_at, :at) where job_id = :job and wake_at is not null")
                .param("at", JobStore.time(at))
                .param("job", job.value())
                .update();
    }

    /**
     * After a look that changed nothing: the time by which the job was taken would bring it back for ever. A change made
     * since then has set its own time and a new row version, and is left alone.
     */
    void settle(JobId job, long rowVersion, @Nullable Instant next) {
        jdbc.sql("update job set wake_at = :next where job_id = :job and row_version = :seen")
                .param("next", JobStore.time(next), Types.TIMESTAMP)
                .param("job", job.value())
                .param("seen", rowVersion)
                .update();
    }
}
