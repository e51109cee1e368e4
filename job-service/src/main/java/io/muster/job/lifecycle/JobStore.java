package io.muster.job.lifecycle;

import io.muster.contract.agent.MemberPhase;
import io.muster.contract.agent.Progress;
import io.muster.contract.agent.RankReport;
import io.muster.contract.agent.Rendezvous;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import io.muster.contract.job.DomainType;
import io.muster.contract.job.JobPhase;
import io.muster.contract.node.CheckResult;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import tools.jackson.core.type.TypeReference;

/**
 * Jobs with their attempts and members in the database. Written as SQL because who may change a job is decided here:
 * every change begins with a lock on the job's row, so that agents' reports, placements, holds and people's wishes,
 * arriving at several instances at once, change one job one after the other.
 */
@Repository
class JobStore {

    /** A job with the counters of its row. */
    record Stored(Job job, long sequence, long rowVersion) {}

    private static final TypeReference<List<NodeId>> NODES = new TypeReference<>() {};
    private static final TypeReference<List<Shunned>> SHUNNED = new TypeReference<>() {};
    private static final TypeReference<List<Integer>> NUMBERS = new TypeReference<>() {};
    private static final TypeReference<List<CheckResult>> CHECKS = new TypeReference<>() {};
    private static final TypeReference<List<RankReport>> RANKS = new TypeReference<>() {};
    private static final TypeReference<Map<String, Object>> OBJECT = new TypeReference<>() {};

    private final JdbcClient jdbc;
    private final StoredJson json = new StoredJson();

    JobStore(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** For a change: nobody else changes this job until the transaction ends. */
    Optional<Stored> lock(JobId id) {
        return jobRow("select * from job where job_id = :id for update", id);
    }

    Optional<Stored> find(JobId id) {
        return jobRow("select * from job where job_id = :id", id);
    }

    private Optional<Stored> jobRow(String sql, JobId id) {
        return jdbc.sql(sql)
                .param("id", id.value())
                .query((row, n) -> stored(row))
                .optional();
    }

    List<Attempt> attempts(JobId id) {
        return attempts(id, number -> members(id, number));
    }

    /** For what is read off the attempts alone. */
    List<Attempt> attemptsWithoutMembers(JobId id) {
        return attempts(id, number -> List.of());
    }

    private List<Attempt> attempts(JobId id, IntFunction<List<Member>> members) {
        return jdbc.sql("select * from attempt where job_id = :id order by number")
                .param("id", id.value())
                .query((row, n) -> attempt(row, members))
                .list();
    }

    /** Whether ranks of an attempt below this one were started. */
    boolean ranBefore(JobId id, int number) {
        return jdbc.sql("""
                        select exists (select 1 from attempt
                        where job_id = :id and number < :number and rendezvous is not null)""")
                .param("id", id.value())
                .param("number", number)
                .query(Boolean.class)
                .single();
    }

    /** Every checkpoint of which an attempt of the job found damage, each once, in the order of ids. */
    List<CheckpointId> damaged(JobId id) {
        return jdbc.sql(
                        "select distinct damaged from member where job_id = :id and damaged is not null order by damaged")
                .param("id", id.value())
                .query((row, n) -> new CheckpointId(row.getString("damaged")))
                .list();
    }

    private @Nullable Attempt attempt(JobId id, int number) {
        return number == 0
                ? null
                : jdbc.sql("select * from attempt where job_id = :id and number = :number")
                        .param("id", id.value())
                        .param("number", number)
                        .query((row, n) -> attempt(row, one -> members(id, one)))
                        .single();
    }

    private List<Member> members(JobId id, int attempt) {
        return jdbc.sql("select * from member where job_id = :id and attempt = :attempt order by node_rank")
                .param("id", id.value())
                .param("attempt", attempt)
                .query((row, n) -> member(row))
                .list();
    }

    void insert(Job job, String submittedSpec, String labels) {
        Job.Head head = job.head();
        jdbc.sql("""
                insert into job (job_id, tenant, project, queue, name, labels, spec, submitted_spec, nodes, gpus, phase,
                    reason, message, phase_since, submitted_at, sequence, row_version, generation, attempt, released,
                    requeued, preflight_rounds, ran_millis)
                values (:id, :tenant, :project, :queue, :name, cast(:labels as jsonb), :spec, :submitted, :nodes, :gpus,
                    :phase, :reason, :message, :since, :since, 1, 1, 0, 0, '[]', false, 0, 0)""")
                .param("id", head.id().value())
                .param("tenant", head.tenant().value())
                .param("project", head.project().value())
                .param("queue", head.queue().value())
                .param("name", head.spec().name())
                .param("labels", labels)
                .param("spec", json.writeSpec(head.spec()))
                .param("submitted", submittedSpec)
                .param("nodes", head.spec().gang().nodes())
                .param("gpus", head.spec().gang().gpus())
                .param("phase", job.phase().name())
                .param("reason", job.status().reason().name())
                .param("message", job.status().message())
                .param("since", time(head.submittedAt()))
                .update();
    }

    void update(Job before, Job job, long sequence, @Nullable Instant wakeAt, @Nullable Instant endedAt) {
        jdbc.sql("""
                update job set phase = :phase, reason = :reason, message = :message, phase_since = :since,
                    ended_at = :ended, sequence = :sequence, row_version = row_version + 1, generation = :generation,
                    attempt = :attempt, released = :released, shunned = :shunned, requeued = :requeued,
                    preflight_rounds = :rounds, gang = :gang, restarts = :restarts,
                    ran_millis = :ran, running_since = :running, progress = :progress, result = :result,
                    wake_at = :wake
                where job_id = :id""")
                .param("id", job.id().value())
                .param("phase", job.phase().name())
                .param("reason", job.status().reason().name())
                .param("message", job.status().message())
                .param("since", time(job.status().since()))
                .param("ended", time(endedAt))
                .param("sequence", sequence)
                .param("generation", job.holding().generation())
                .param("attempt", job.attempt() == null ? 0 : job.attempt().number())
                .param("released", json.write(job.holding().released()))
                .param("shunned", json.write(job.holding().shunned()))
                .param("gang", json.write(job.holding().gang()))
                .param("restarts", json.write(job.restarts()))
                .param("requeued", job.holding().requeued())
                .param("rounds", job.holding().preflightRounds())
                .param("ran", job.runTime().finished().toMillis())
                .param("running", time(job.runTime().runningSince()))
                .param("progress", json.write(job.progress()))
                .param("result", json.write(job.result()))
                .param("wake", time(wakeAt))
                .update();
        if (job.attempt() != null && !job.attempt().equals(before.attempt())) {
            save(job.id(), before.attempt(), job.attempt());
        }
    }

    private void save(JobId id, @Nullable Attempt before, Attempt attempt) {
        jdbc.sql("""
                insert into attempt (job_id, number, generation, stage, ending, verdict_pending, reached_level,
                    reached_domain, restore, rendezvous, started_at, stage_since, running_at, first_bad_exit_at,
                    evidence_since, decided_at, ended_at, step, first_step_at, stall_millis)
                values (:id, :number, :generation, :stage, :ending, :pending, :level, :domain, :restore, :rendezvous,
                    :started, :stage_since, :running, :bad, :evidence, :decided, :ended, :step, :first_step, :stall)
                on conflict (job_id, number) do update set stage = excluded.stage,
                    stage_since = excluded.stage_since, ending = excluded.ending,
                    verdict_pending = excluded.verdict_pending, restore = excluded.restore,
                    rendezvous = excluded.rendezvous, running_at = excluded.running_at,
                    first_bad_exit_at = excluded.first_bad_exit_at, evidence_since = excluded.evidence_since,
                    decided_at = excluded.decided_at, ended_at = excluded.ended_at, step = excluded.step,
                    first_step_at = excluded.first_step_at, stall_millis = excluded.stall_millis""")
                .param("id", id.value())
                .param("number", attempt.number())
                .param("generation", attempt.generation())
                .param("stage", attempt.stage().name())
                .param("ending", json.write(attempt.ending()))
                .param("pending", attempt.verdictPending())
                .param("level", attempt.place().level().name())
                .param("domain", attempt.place().domain())
                .param("restore", json.write(attempt.restore()))
                .param("rendezvous", json.write(attempt.rendezvous()))
                .param("started", time(attempt.course().startedAt()))
                .param("stage_since", time(attempt.course().stageSince()))
                .param("running", time(attempt.course().runningAt()))
                .param("bad", time(attempt.firstBadExitAt()))
                .param("evidence", time(attempt.course().evidenceSince()))
                .param("decided", time(attempt.course().decidedAt()))
                .param("ended", time(attempt.endedAt()))
                .param("step", attempt.step(), Types.BIGINT)
                .param("first_step", time(attempt.training().firstStepAt()))
                .param("stall", attempt.training().stallMillis())
                .update();
        List<Member> known = before != null && before.number() == attempt.number() ? before.members() : List.of();
        attempt.members().stream()
                .filter(member -> !known.contains(member))
                .forEach(member -> save(id, attempt.number(), member));
    }

    private void save(JobId id, int attempt, Member member) {
        jdbc.sql("""
                insert into member (job_id, attempt, node_rank, node_id, gpus, address, port, rack, phase, gone, lost,
                    alive, offered_port, asked_revision, heard, in_question, damaged, checks, ranks)
                values (:id, :attempt, :rank, :node, :gpus, :address, :port, :rack, :phase, :gone, :lost, :alive,
                    :offered, :asked, :heard, :question, :damaged, :checks, :ranks)
                on conflict (job_id, attempt, node_rank) do update set address = excluded.address, port = excluded.port,
                    rack = excluded.rack, asked_revision = excluded.asked_revision, heard = excluded.heard,
                    in_question = excluded.in_question, damaged = excluded.damaged, phase = excluded.phase, gone = excluded.gone, lost = excluded.lost, alive = excluded.alive,
                    offered_port = excluded.offered_port, checks = excluded.checks, ranks = excluded.ranks""")
                .param("id", id.value())
                .param("attempt", attempt)
                .param("rank", member.nodeRank())
                .param("node", member.node().value())
                .param("gpus", json.write(member.gpus()))
                .param("address", member.address())
                .param("port", member.door().port())
                .param("rack", member.door().rack())
                .param("phase", member.phase() == null ? null : member.phase().name())
                .param("gone", member.gone())
                .param("lost", member.lost())
                .param("alive", member.aliveLongEnough())
                .param("offered", member.offeredMasterPort())
                .param("asked", member.evidence().askedRevision(), Types.BIGINT)
                .param("heard", member.evidence().heard())
                .param("question", member.evidence().inQuestion())
                .param(
                        "damaged",
                        member.damaged() == null ? null : member.damaged().value())
                .param("checks", json.write(member.checks()))
                .param("ranks", json.write(member.ranks()))
                .update();
    }

    private Stored stored(ResultSet row) throws SQLException {
        JobId id = new JobId(row.getString("job_id"));
        Job.Head head = new Job.Head(
                id,
                new TenantId(row.getString("tenant")),
                new ProjectId(row.getString("project")),
                new QueuePath(row.getString("queue")),
                json.readSpec(row.getString("spec")),
                instant(row, "submitted_at"));
        Job.Status status = Job.Status.read(
                JobPhase.valueOf(row.getString("phase")),
                JobReason.valueOf(row.getString("reason")),
                row.getString("message"),
                instant(row, "phase_since"));
        Attempt attempt = attempt(id, row.getInt("attempt"));
        Job.Holding holding = new Job.Holding(
                row.getInt("generation"),
                json.read(row.getString("released"), NODES),
                json.read(row.getString("shunned"), SHUNNED),
                row.getBoolean("requeued"),
                row.getInt("preflight_rounds"),
                gang(json.read(row.getString("gang"), Gang.class), attempt));
        Job.RunTime runTime =
                new Job.RunTime(Duration.ofMillis(row.getLong("ran_millis")), instantOrNull(row, "running_since"));
        String result = row.getString("result");
        Job job = new Job(
                head,
                status,
                holding,
                runTime,
                json.readPresent(row.getString("restarts"), Restarts.class),
                attempt,
                json.read(row.getString("progress"), Progress.class),
                result == null ? null : json.read(result, OBJECT),
                List.of());
        return new Stored(job, row.getLong("sequence"), row.getLong("row_version"));
    }

    /** Jobs that had their attempt before gangs were kept have what that attempt has. */
    private static @Nullable Gang gang(@Nullable Gang kept, @Nullable Attempt attempt) {
        return kept != null || attempt == null ? kept : Gang.of(attempt);
    }

    private Attempt attempt(ResultSet row, IntFunction<List<Member>> members) throws SQLException {
        int number = row.getInt("number");
        return new Attempt(
                number,
                new Attempt.Place(
                        row.getInt("generation"),
                        DomainType.valueOf(row.getString("reached_level")),
                        row.getString("reached_domain")),
                new Attempt.Course(
                        AttemptStage.valueOf(row.getString("stage")),
                        instant(row, "started_at"),
                        instant(row, "stage_since"),
                        instantOrNull(row, "running_at"),
                        instantOrNull(row, "first_bad_exit_at"),
                        instantOrNull(row, "evidence_since"),
                        instantOrNull(row, "decided_at"),
                        instantOrNull(row, "ended_at")),
                new Attempt.Outcome(
                        json.read(row.getString("ending"), Ending.class), row.getBoolean("verdict_pending")),
                json.read(row.getString("restore"), RestoreDecision.class),
                json.read(row.getString("rendezvous"), Rendezvous.class),
                new Attempt.Training(
                        longOrNull(row, "step"), instantOrNull(row, "first_step_at"), row.getLong("stall_millis")),
                members.apply(number));
    }

    private Member member(ResultSet row) throws SQLException {
        String phase = row.getString("phase");
        String damaged = row.getString("damaged");
        Long offered = longOrNull(row, "offered_port");
        return new Member(
                row.getInt("node_rank"),
                new NodeId(row.getString("node_id")),
                json.read(row.getString("gpus"), NUMBERS),
                new Member.Door(row.getString("address"), row.getInt("port"), row.getString("rack")),
                phase == null ? null : MemberPhase.valueOf(phase),
                row.getBoolean("gone"),
                row.getBoolean("lost"),
                row.getBoolean("alive"),
                offered == null ? null : offered.intValue(),
                new Member.Evidence(
                        longOrNull(row, "asked_revision"), row.getBoolean("heard"), row.getBoolean("in_question")),
                damaged == null ? null : new CheckpointId(damaged),
                json.read(row.getString("checks"), CHECKS),
                json.read(row.getString("ranks"), RANKS));
    }

    private static @Nullable Long longOrNull(ResultSet row, String column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? null : value;
    }

    static @Nullable Timestamp time(@Nullable Instant instant) {
        return instant == null ? null : Timestamp.from(instant);
    }

    static Instant instant(ResultSet row, String column) throws SQLException {
        return Objects.requireNonNull(instantOrNull(row, column), column);
    }

    static @Nullable Instant instantOrNull(ResultSet row, String column) throws SQLException {
        Timestamp time = row.getTimestamp(column);
        return time == null ? null : time.toInstant();
    }
}
