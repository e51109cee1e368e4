package io.muster.job.lifecycle;

import io.muster.contract.checkpoint.CheckpointState;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.id.JobId;
import io.muster.contract.placement.PlacedMember;
import io.muster.contract.placement.PlacementState;
import io.muster.job.waste.AttemptSpan;
import io.muster.job.waste.Held;
import io.muster.job.waste.WasteLedger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;
import tools.jackson.core.type.TypeReference;

/**
 * What the waste ledger is made of: the scheduler's word about what was held, checkpoint-service's about when was
 * saved what is committed, and the job's own attempts. Kept for every generation, because the newest one does not tell of those before.
 */
@Repository
public class WasteRecords {

    private static final TypeReference<List<PlacedMember>> MEMBERS = new TypeReference<>() {};

    /** A checkpoint that has been heard of, and the moment whose state it holds: what came after it is lost with a restore. */
    record Commit(String id, long step, Instant savedAt) {}

    private final JdbcClient jdbc;
    private final JobStore jobs;
    private final StoredJson json = new StoredJson();

    WasteRecords(JdbcClient jdbc, JobStore jobs) {
        this.jdbc = jdbc;
        this.jobs = jobs;
    }

    void held(PlacementState placement) {
        jdbc.sql("""
                insert into held_gang (job_id, generation, members) values (:job, :generation, :members)
                on conflict (job_id, generation) do update set members = excluded.members""")
                .param("job", placement.jobId().value())
                .param("generation", placement.generation())
                .param("members", json.write(placement.members()))
                .update();
    }

    /** Told again when it becomes more durable or corrupt: the commit was the first time. */
    void committed(CheckpointState state) {
        jdbc.sql("""
                insert into checkpoint_commit (job_id, checkpoint_id, step, saved_at)
                values (:job, :checkpoint, :step, :at) on conflict (job_id, checkpoint_id) do nothing""")
                .param("job", state.jobId().value())
                .param("checkpoint", state.checkpointId().value())
                .param("step", state.step())
                .param("at", JobStore.time(state.reservedAt()))
                .update();
    }

    /** Of one moment of the database. */
    @Transactional(readOnly = true)
    public WasteLedger ledger(JobId id, Instant asOf) {
        List<Held> held = jdbc
                .sql("select members from held_gang where job_id = :job order by generation")
                .param("job", id.value())
                .query((row, n) -> json.read(row.getString(1), MEMBERS))
                .list()
                .stream()
                .flatMap(List::stream)
                .map(member -> new Held(member.gpus().size(), member.since(), member.until()))
                .toList();
        return WasteLedger.of(held, spans(jobs.attemptsWithoutMembers(id), commits(id)), asOf);
    }

    private List<Commit> commits(JobId id) {
        return jdbc.sql("select * from checkpoint_commit where job_id = :job order by saved_at, checkpoint_id")
                .param("job", id.value())
                .query((row, n) -> new Commit(
                        row.getString("checkpoint_id"), row.getLong("step"), JobStore.instant(row, "saved_at")))
                .list();
    }

    /**
     * A job of which no attempt has told a step trains from when all its ranks are up; else an attempt trains from the
     * first step that it has told.
     */
    static List<AttemptSpan> spans(List<Attempt> attempts, List<Commit> commits) {
        boolean tellsSteps = attempts.stream().anyMatch(attempt -> attempt.step() != null);
        Map<String, Instant> savedAt = new TreeMap<>();
        commits.forEach(commit -> savedAt.put(commit.id(), commit.savedAt()));
        List<AttemptSpan> spans = new ArrayList<>();
        for (Attempt attempt : attempts) {
            Attempt.Course course = attempt.course();
            Ending ending = attempt.ending();
            Instant broken = Stream.of(course.firstBadExitAt(), course.decidedAt(), course.endedAt())
                    .flatMap(Stream::ofNullable)
                    .min(Comparator.naturalOrder())
                    .orElse(null);
            boolean last = attempt.number() == attempts.getLast().number();
            boolean goesOn = !last || ending == null || ending.keepsNodes() || ending.follow() == Ending.Follow.REQUEUE;
            spans.add(new AttemptSpan(
                    attempt.number(),
                    course.startedAt(),
                    tellsSteps ? attempt.training().firstStepAt() : course.runningAt(),
                    broken,
                    course.endedAt(),
                    goesOn,
                    attempt.training().stallMillis(),
                    wentBackTo(attempt.restore(), commits, savedAt)));
        }
        return spans;
    }

    /** A commit that was never heard of counts as the newest known one of an earlier or the same step. */
    private static @Nullable Instant wentBackTo(
            @Nullable RestoreDecision decision, List<Commit> commits, Map<String, Instant> savedAt) {
        if (decision == null || decision.verdict() == RestoreVerdict.REFUSED) {
            return null;
        }
        if (decision.checkpointId() == null) {
            return AttemptSpan.FROM_THE_BEGINNING;
        }
        Instant known = savedAt.get(decision.checkpointId().value());
        return known != null
                ? known
                : commits.stream()
                        .filter(commit -> commit.step() <= decision.step())
                        .max(Comparator.comparingLong(Commit::step).thenComparing(Commit::savedAt))
                        .map(Commit::savedAt)
                        .orElse(AttemptSpan.FROM_THE_BEGINNING);
    }
}
