package io.muster.job.lifecycle;

import io.muster.contract.id.JobId;
import java.sql.Types;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** What a job was in, from when to when and why. Written in the transaction that changes the job. */
@Repository
class TimelineStore {

    private final JdbcClient jdbc;

    TimelineStore(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    void begin(Job job) {
        insert(job, job.status(), job.status().since());
    }

    /** Every state that the change passed is written, also those that lasted no time. */
    void change(Job before, Job after, Instant now) {
        Job.Status was = before.status();
        Job.Status is = after.status();
        if (was.phase() == is.phase() && was.reason() == is.reason() && is.via() == null) {
            if (!was.message().equals(is.message())) {
                jdbc.sql("update timeline set message = :message where job_id = :id and until is null")
                        .param("message", is.message())
                        .param("id", after.id().value())
                        .update();
            }
            return;
        }
        for (Job.Status step : steps(is)) {
            jdbc.sql("update timeline set until = :now where job_id = :id and until is null")
                    .param("now", JobStore.time(now))
                    .param("id", after.id().value())
                    .update();
            insert(after, step, now);
        }
    }

    /** The states moved through, oldest first; without a move the present one for its new reason. */
    private static List<Job.Status> steps(Job.Status last) {
        ArrayDeque<Job.Status> steps = new ArrayDeque<>();
        Job.Status step = last;
        while (step.via() != null) {
            steps.addFirst(step);
            step = step.via();
        }
        return steps.isEmpty() ? List.of(last) : List.copyOf(steps);
    }

    private void insert(Job job, Job.Status status, Instant since) {
        jdbc.sql("""
                insert into timeline (job_id, phase, reason, message, attempt, generation, since, until)
                values (:id, :phase, :reason, :message, :attempt, :generation, :since, :until)""")
                .param("id", job.id().value())
                .param("phase", status.phase().name())
                .param("reason", status.reason().name())
                .param("message", status.message())
                .param("attempt", job.attempt() == null ? 0 : job.attempt().number())
                .param("generation", job.holding().generation())
                .param("since", JobStore.time(since))
                .param("until", status.phase().ended() ? JobStore.time(since) : null, Types.TIMESTAMP)
                .update();
    }

    List<TimelineEntry> of(JobId id) {
        return jdbc.sql("select * from timeline where job_id = :id order by entry")
                .param("id", id.value())
                .query((row, n) -> new TimelineEntry(
                        row.getString("phase"),
                        row.getString("reason"),
                        row.getString("message"),
                        row.getInt("attempt"),
                        row.getInt("generation"),
                        JobStore.instant(row, "since"),
                        JobStore.instantOrNull(row, "until")))
                .list();
    }
}
