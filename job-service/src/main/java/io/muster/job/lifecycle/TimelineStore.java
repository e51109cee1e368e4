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

    /** Every state that the change passed is written, also those that lasted no time; notes come before what they led to. */
    void change(Job before, Job after, Instant now) {
        after.notes().forEach(note -> insert(after, note, now));
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
        insert(
                job,
                new TimelineEntry(
                        status.phase().name(),
                        status.reason().name(),
                        status.message(),
                        job.attempt() == null ? 0 : job.attempt().number(),
                        job.holding().generation(),
                        since,
                        status.phase().ended() ? since : null));
    }

    private void insert(Job job, TimelineNote note, Instant at) {
        insert(
                job,
                new TimelineEntry(
                        note.phase().name(),
                        note.code().name(),
                        note.message(),
                        note.attempt(),
                        note.generation(),
                        at,
                        at));
    }

    private void insert(Job job, TimelineEntry entry) {
        jdbc.sql("""
                insert into timeline (job_id, phase, reason, message, attempt, generation, since, until)
                values (:id, :phase, :reason, :message, :attempt, :generation, :since, :until)""")
                .param("id", job.id().value())
                .param("phase", entry.state())
                .param("reason", entry.reason())
                .param("message", entry.message())
                .param("attempt", entry.attempt())
                .param("generation", entry.generation())
                .param("since", JobStore.time(entry.since()))
                .param("until", JobStore.time(entry.until()), Types.TIMESTAMP)
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
