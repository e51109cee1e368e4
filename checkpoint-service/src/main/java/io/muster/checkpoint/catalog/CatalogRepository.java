package io.muster.checkpoint.catalog;

import io.muster.contract.checkpoint.CheckpointPhase;
import io.muster.contract.checkpoint.Durability;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.TenantId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * The tables of the commit protocol.
 *
 * <p>Everything that changes a job's checkpoints first locks the job's head. So the last two shards of a checkpoint,
 * reported at once, are counted one after the other, and a report and the restore of a later attempt have an order:
 * either the commit is before the fence, or it is refused. Reads for people take no lock.
 */
@Repository
class CatalogRepository {

    private final JdbcClient jdbc;

    CatalogRepository(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    void addHead(JobId job, TenantId tenant, ProjectId project) {
        jdbc.sql("insert into job_head (job_id, tenant, project) values (?, ?, ?) on conflict do nothing")
                .params(job.value(), tenant.value(), project.value())
                .update();
    }

    Optional<JobHead> head(JobId job) {
        return head(job, "");
    }

    Optional<JobHead> headLocked(JobId job) {
        return head(job, " for update");
    }

    private Optional<JobHead> head(JobId job, String lock) {
        return jdbc.sql("select * from job_head where job_id = ?" + lock)
                .param(job.value())
                .query((row, number) -> new JobHead(
                        new JobId(row.getString("job_id")),
                        new TenantId(row.getString("tenant")),
                        new ProjectId(row.getString("project")),
                        row.getInt("fence"),
                        row.getLong("version"),
                        row.getLong("event_sequence"),
                        checkpointId(row.getString("checkpoint_id"))))
                .optional();
    }

    /** The condition keeps the fence from falling even if the lock were forgotten. */
    void raiseFence(JobId job, int attempt) {
        int raised = jdbc.sql("update job_head set fence = :attempt where job_id = :job and fence < :attempt")
                .param("job", job.value())
                .param("attempt", attempt)
                .update();
        require(raised == 1, "the fence of " + job + " did not rise to " + attempt);
    }

    void add(JobId job, AttemptStart start, Instant now) {
        CheckpointId chosen = start.checkpointId();
        CheckpointId newer = start.newer();
        jdbc.sql("""
                        insert into restore_decision (job_id, attempt, world_size, resume_from, verdict, checkpoint_id,
                                                      step, newer_id, message, decided_at)
                        values (:job, :attempt, :worldSize, :resumeFrom, :verdict, :chosen, :step, :newer, :message,
                                :now)""")
                .param("job", job.value())
                .param("attempt", start.attempt())
                .param("worldSize", start.worldSize())
                .param("resumeFrom", start.resumeFrom())
                .param("verdict", start.verdict().name())
                .param("chosen", chosen == null ? null : chosen.value())
                .param("step", start.step())
                .param("newer", newer == null ? null : newer.value())
                .param("message", start.message())
                .param("now", now.atOffset(ZoneOffset.UTC))
                .update();
    }

    Optional<AttemptStart> start(JobId job, int attempt) {
        return jdbc.sql("select * from restore_decision where job_id = ? and attempt = ?")
                .params(job.value(), attempt)
                .query(CatalogRepository::start)
                .optional();
    }

    /** The newest start that did not ask for the latest: with it the job's lineage begins anew. */
    Optional<AttemptStart> origin(JobId job) {
        return jdbc.sql("""
                        select * from restore_decision
                        where job_id = ? and resume_from <> 'latest' and verdict <> 'REFUSED'
                        order by attempt desc limit 1""").param(job.value()).query(CatalogRepository::start).optional();
    }

    /** Whether any attempt of the job was told to start from it. */
    boolean startedFrom(JobId job, CheckpointId id) {
        return jdbc.sql("select exists (select from restore_decision where job_id = ? and checkpoint_id = ?)")
                .params(job.value(), id.value())
                .query(Boolean.class)
                .single();
    }

    /** In the order of commits, whatever became of it. */
    Optional<Checkpoint> newestCommit(JobId job) {
        return jdbc.sql("""
                        select * from checkpoint where job_id = ? and commit_version is not null
                        order by commit_version desc limit 1""")
                .param(job.value())
                .query(CatalogRepository::checkpoint)
                .optional();
    }

    /**
     * Commits of attempts from {@code since} on and, of earlier ones, those up to {@code upTo}; the newest first, down to
     * the newest that no loss of memory can take. What is older is never needed, and there may be thousands.
     */
    List<Checkpoint> line(JobId job, int since, long upTo) {
        return jdbc.sql("""
                        with line as (
                            select * from checkpoint
                            where job_id = :job and commit_version is not null
                              and (attempt >= :since or commit_version <= :upTo))
                        select * from line
                        where commit_version >= coalesce(
                            (select max(commit_version) from line
                             where phase = 'COMMITTED' and durability = 'DURABLE'), 0)
                        order by commit_version desc""")
                .param("job", job.value())
                .param("since", since)
                .param("upTo", upTo)
                .query(CatalogRepository::checkpoint)
                .list();
    }

    List<CheckpointId> corrupt(JobId job) {
        return jdbc.sql("select id from checkpoint where job_id = ? and phase = 'CORRUPT' order by commit_version")
                .param(job.value())
                .query((row, number) -> new CheckpointId(row.getString("id")))
                .list();
    }

    /** It keeps its place in the order of commits: it is passed over, not taken away. */
    void markCorrupt(CheckpointId id, String reason) {
        int marked = jdbc.sql(
                        "update checkpoint set phase = 'CORRUPT', reason = ? where id = ? and phase = 'COMMITTED'")
                .params(reason, id.value())
                .update();
        require(marked == 1, id + " was not COMMITTED when it became CORRUPT");
    }

    /** The next number for the job's events. */
    long nextEvent(JobId job) {
        return jdbc.sql(
                        "update job_head set event_sequence = event_sequence + 1 where job_id = ? returning event_sequence")
                .param(job.value())
                .query(Long.class)
                .single();
    }

    Optional<Checkpoint> newestCommit(JobId job, int attempt) {
        return jdbc.sql("""
                        select * from checkpoint where job_id = ? and attempt = ? and commit_version is not null
                        order by commit_version desc limit 1""")
                .params(job.value(), attempt)
                .query(CatalogRepository::checkpoint)
                .optional();
    }

    Optional<Checkpoint> at(JobId job, int attempt, long step) {
        return jdbc.sql("select * from checkpoint where job_id = ? and attempt = ? and step = ?")
                .params(job.value(), attempt, step)
                .query(CatalogRepository::checkpoint)
                .optional();
    }

    /** Locked against the sweep, which does not take the lock of the head. */
    Optional<Checkpoint> locked(CheckpointId id) {
        return jdbc.sql("select * from checkpoint where id = ? for update")
                .param(id.value())
                .query(CatalogRepository::checkpoint)
                .optional();
    }

    /** Within a tenant and, if it is named, a project. */
    Optional<Checkpoint> find(CheckpointId id, @Nullable TenantId tenant, @Nullable ProjectId project) {
        return jdbc.sql("""
                        select c.* from checkpoint c join job_head h using (job_id)
                        where c.id = :id and (:anyTenant or h.tenant = :tenant)
                          and (:anyProject or h.project = :project)""")
                .param("id", id.value())
                .param("anyTenant", tenant == null)
                .param("tenant", tenant == null ? "" : tenant.value())
                .param("anyProject", project == null)
                .param("project", project == null ? "" : project.value())
                .query(CatalogRepository::checkpoint)
                .optional();
    }

    /** Newest reservation first, from before {@code before}. */
    List<Checkpoint> ofJob(JobId job, @Nullable String before, int limit) {
        return jdbc.sql("""
                        select * from checkpoint where job_id = :job and (:first or id < :before)
                        order by id desc limit :limit""")
                .param("job", job.value())
                .param("first", before == null)
                .param("before", before == null ? "" : before)
                .param("limit", limit)
                .query(CatalogRepository::checkpoint)
                .list();
    }

    void add(Checkpoint reserved) {
        CheckpointId parent = reserved.parentId();
        jdbc.sql("""
                        insert into checkpoint (id, job_id, attempt, step, world_size, phase, parent_id, reserved_at,
                                                deadline)
                        values (:id, :job, :attempt, :step, :worldSize, :phase, :parent, :reservedAt, :deadline)""")
                .param("id", reserved.id().value())
                .param("job", reserved.jobId().value())
                .param("attempt", reserved.attempt())
                .param("step", reserved.step())
                .param("worldSize", reserved.worldSize())
                .param("phase", reserved.phase().name())
                .param("parent", parent == null ? null : parent.value())
                .param("reservedAt", reserved.reservedAt().atOffset(ZoneOffset.UTC))
                .param("deadline", reserved.deadline().atOffset(ZoneOffset.UTC))
                .update();
    }

    /**
     * The commit: compare-and-set on the head. It holds only if the attempt is still the one at the fence and nothing was
     * committed since the head was read; if not, the transaction must not go on.
     */
    void commit(JobHead seen, Checkpoint checkpoint, Durability durability, long sizeBytes, Instant now) {
        int moved = jdbc.sql("""
                        update job_head set version = version + 1, checkpoint_id = :id
                        where job_id = :job and fence = :attempt and version = :seen""")
                .param("id", checkpoint.id().value())
                .param("job", seen.jobId().value())
                .param("attempt", checkpoint.attempt())
                .param("seen", seen.version())
                .update();
        require(moved == 1, "the head of " + seen.jobId() + " moved under the commit of " + checkpoint.id());
        int committed = jdbc.sql("""
                        update checkpoint
                        set phase = 'COMMITTED', commit_version = ?, durability = ?, ended_at = ?, size_bytes = ?,
                            reason = null
                        where id = ? and phase in ('RESERVED', 'LOCAL')""")
                .params(
                        seen.version() + 1,
                        durability.name(),
                        now.atOffset(ZoneOffset.UTC),
                        sizeBytes,
                        checkpoint.id().value())
                .update();
        require(committed == 1, checkpoint.id() + " was neither RESERVED nor LOCAL at its commit");
    }

    /** Every rank has a copy, but it is not safe yet. */
    void markLocal(CheckpointId id, String why) {
        jdbc.sql("update checkpoint set phase = 'LOCAL', reason = ? where id = ? and phase in ('RESERVED', 'LOCAL')")
                .params(why, id.value())
                .update();
    }

    /** From memory to the store; its place in the order of commits stays. */
    void promote(CheckpointId id) {
        int promoted = jdbc.sql("""
                        update checkpoint set durability = 'DURABLE'
                        where id = ? and phase = 'COMMITTED' and durability = 'PEER'""").param(id.value()).update();
        require(promoted == 1, id + " was not COMMITTED at PEER when all of it was in the store");
    }

    /** Unfinished ones of the attempt at steps below {@code step}: a commit has overtaken them. */
    int abandonBelow(JobId job, int attempt, long step, String reason, Instant now) {
        return jdbc.sql("""
                        update checkpoint set phase = 'ABANDONED', reason = ?, ended_at = ?
                        where job_id = ? and phase in ('RESERVED', 'LOCAL') and attempt = ? and step < ?""")
                .params(reason, now.atOffset(ZoneOffset.UTC), job.value(), attempt, step)
                .update();
    }

    int abandonBefore(JobId job, int attempt, String reason, Instant now) {
        return jdbc.sql("""
                        update checkpoint set phase = 'ABANDONED', reason = ?, ended_at = ?
                        where job_id = ? and phase in ('RESERVED', 'LOCAL') and attempt < ?""")
                .params(reason, now.atOffset(ZoneOffset.UTC), job.value(), attempt)
                .update();
    }

    /**
     * Rows that a commit or another instance's sweep is at work on are left for the next time. Why it was not safe is kept.
     */
    int abandonOverdue(Instant now, String reason, int limit) {
        return jdbc.sql("""
                        update checkpoint
                        set phase = 'ABANDONED', reason = cast(:reason as text) || coalesce('; ' || reason, ''),
                            ended_at = :now
                        where id in (select id from checkpoint where phase in ('RESERVED', 'LOCAL') and deadline <= :now
                                     order by deadline limit :limit for update skip locked)""")
                .param("now", now.atOffset(ZoneOffset.UTC))
                .param("reason", reason)
                .param("limit", limit)
                .update();
    }

    private static AttemptStart start(ResultSet row, int number) throws SQLException {
        return new AttemptStart(
                row.getInt("attempt"),
                row.getInt("world_size"),
                row.getString("resume_from"),
                RestoreVerdict.valueOf(row.getString("verdict")),
                checkpointId(row.getString("checkpoint_id")),
                row.getLong("step"),
                checkpointId(row.getString("newer_id")),
                row.getString("message"));
    }

    private static Checkpoint checkpoint(ResultSet row, int number) throws SQLException {
        Timestamp ended = row.getTimestamp("ended_at");
        String durability = row.getString("durability");
        return new Checkpoint(
                new CheckpointId(row.getString("id")),
                new JobId(row.getString("job_id")),
                row.getInt("attempt"),
                row.getLong("step"),
                row.getInt("world_size"),
                CheckpointPhase.valueOf(row.getString("phase")),
                checkpointId(row.getString("parent_id")),
                row.getTimestamp("reserved_at").toInstant(),
                row.getTimestamp("deadline").toInstant(),
                ended == null ? null : ended.toInstant(),
                row.getObject("commit_version", Long.class),
                durability == null ? null : Durability.valueOf(durability),
                row.getLong("size_bytes"),
                row.getString("reason"));
    }

    private static @Nullable CheckpointId checkpointId(@Nullable String value) {
        return value == null ? null : new CheckpointId(value);
    }

    private static void require(boolean held, String broken) {
        if (!held) {
            throw new IllegalStateException(broken);
        }
    }
}
