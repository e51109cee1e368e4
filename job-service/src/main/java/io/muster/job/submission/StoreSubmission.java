package io.muster.job.submission;

import io.muster.contract.id.JobId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.TenantId;
import io.muster.edge.id.Ids;
import io.muster.job.lifecycle.Job;
import io.muster.job.lifecycle.JobWriter;
import io.muster.job.query.LookAtJobs;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/**
 * Stores a job, its event and the answer under the idempotency key, all or nothing. Two live jobs of one name in a
 * project cannot both be stored: the database has a unique index over live jobs, so of two at once one wins.
 */
@Repository
class StoreSubmission {

    private final JdbcClient jdbc;
    private final JobWriter writer;
    private final IdempotencyStore idempotency;
    private final LookAtJobs jobs;
    private final Ids ids;
    private final TransactionTemplate transaction;
    private final JsonMapper json;

    StoreSubmission(
            JdbcClient jdbc,
            JobWriter writer,
            IdempotencyStore idempotency,
            LookAtJobs jobs,
            Ids ids,
            PlatformTransactionManager transactions,
            JsonMapper json) {
        this.jdbc = jdbc;
        this.writer = writer;
        this.idempotency = idempotency;
        this.jobs = jobs;
        this.ids = ids;
        this.transaction = new TransactionTemplate(transactions);
        this.json = json;
    }

    SubmitJob.Outcome store(Submission submission, @Nullable IdempotencyKey key) {
        try {
            Optional<StoredAnswer> stored = transaction.execute(status -> inTransaction(submission, key));
            return stored.<SubmitJob.Outcome>map(SubmitJob.Stored::new).orElseGet(() -> taken(submission, key));
        } catch (DuplicateKeyException nameTaken) {
            return new SubmitJob.Refused(SubmissionProblems.nameTaken(
                    submission.spec().name(),
                    submission.project(),
                    liveJobNamed(
                            submission.tenant(),
                            submission.project(),
                            submission.spec().name())));
        }
    }

    /** The live job that has a name already. */
    Optional<JobId> liveJobNamed(TenantId tenant, ProjectId project, String name) {
        return jdbc.sql("""
                select job_id from job where tenant = :tenant and project = :project and name = :name
                and phase not in ('SUCCEEDED', 'FAILED', 'CANCELLED')""")
                .param("tenant", tenant.value())
                .param("project", project.value())
                .param("name", name)
                .query((row, n) -> new JobId(row.getString(1)))
                .optional();
    }

    private Optional<StoredAnswer> inTransaction(Submission submission, @Nullable IdempotencyKey key) {
        if (key != null && !idempotency.claim(key)) {
            return Optional.empty();
        }
        JobId id = ids.newJobId();
        Job.Head head = new Job.Head(
                id, submission.tenant(), submission.project(), submission.queue(), submission.spec(), writer.now());
        writer.create(
                Job.submitted(head),
                submission.submittedSpec(),
                json.writeValueAsString(submission.spec().labels()));
        LookAtJobs.Tagged shown = jobs.submitted(id, submission.tenant());
        StoredAnswer answer = new StoredAnswer(
                id, shown.tag(), json.writeValueAsString(new Submitted(shown.job(), submission.warnings())));
        if (key != null) {
            idempotency.keep(key, answer);
        }
        return Optional.of(answer);
    }

    /** The key was in use, so its answer is there; if its day has ended in this very moment, it is free again. */
    private SubmitJob.Outcome taken(Submission submission, @Nullable IdempotencyKey key) {
        return Optional.ofNullable(key)
                .flatMap(idempotency::find)
                .map(SubmitJob::replayed)
                .orElseGet(() -> store(submission, key));
    }
}
