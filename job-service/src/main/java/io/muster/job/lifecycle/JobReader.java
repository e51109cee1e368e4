package io.muster.job.lifecycle;

import io.muster.contract.checkpoint.CheckpointState;
import io.muster.contract.id.JobId;
import io.muster.contract.id.TenantId;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** Reads jobs for showing. The tenant is part of the query: a job of another tenant is not found at all. */
@Component
public class JobReader {

    /**
     * @param submittedSpec as it was sent
     * @param version changes with whatever is shown of the job
     */
    public record Shown(
            Job job, String submittedSpec, @Nullable CheckpointState checkpoint, String version) {}

    private final JdbcClient jdbc;
    private final JobStore jobs;
    private final TimelineStore timeline;
    private final CheckpointViews checkpoints;

    JobReader(JdbcClient jdbc, JobStore jobs, TimelineStore timeline, CheckpointViews checkpoints) {
        this.jdbc = jdbc;
        this.jobs = jobs;
        this.timeline = timeline;
        this.checkpoints = checkpoints;
    }

    /** @param tenant null: of any tenant, for those who may see all */
    @Transactional(readOnly = true)
    public Optional<Shown> find(JobId id, @Nullable TenantId tenant) {
        Optional<String> spec = jdbc.sql("""
                select submitted_spec from job
                where job_id = :id and (cast(:tenant as text) is null or tenant = :tenant)""")
                .param("id", id.value())
                .param("tenant", tenant == null ? null : tenant.value())
                .query(String.class)
                .optional();
        return spec.flatMap(text -> jobs.find(id).map(stored -> {
            CheckpointState checkpoint = checkpoints.find(id).orElse(null);
            String version = stored.rowVersion() + (checkpoint == null ? "" : "-" + checkpoint.checkpointId());
            return new Shown(stored.job(), text, checkpoint, version);
        }));
    }

    public List<Attempt> attempts(JobId id) {
        return jobs.attempts(id);
    }

    public List<TimelineEntry> timeline(JobId id) {
        return timeline.of(id);
    }
}
