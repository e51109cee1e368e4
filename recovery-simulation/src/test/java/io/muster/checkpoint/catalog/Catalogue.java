package io.muster.checkpoint.catalog;

import io.muster.contract.checkpoint.CheckpointPhase;
import io.muster.contract.checkpoint.Durability;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.TenantId;
import io.muster.simulation.Database;
import io.muster.simulation.Mutation;
import io.muster.simulation.Table;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** {@link CatalogRepository} without SQL, with the same conditions on what it writes. */
@SuppressWarnings("NullAway")
final class Catalogue extends CatalogRepository {

    final Table<JobId, JobHead> heads;
    final Table<CheckpointId, Checkpoint> checkpoints;
    private final Table<JobId, TreeMap<Integer, AttemptStart>> starts;
    private final Mutation mutation;
    boolean unfenced;

    Catalogue(Database database, Mutation mutation) {
        super((JdbcClient) null);
        this.heads = new Table<>(database);
        this.checkpoints = new Table<>(database);
        this.starts = new Table<>(database);
        this.mutation = mutation;
    }

    @Override
    void addHead(JobId job, TenantId tenant, ProjectId project) {
        if (heads.get(job) == null) {
            heads.put(job, new JobHead(job, tenant, project, 0, 0, 0, null));
        }
    }

    @Override
    Optional<JobHead> head(JobId job) {
        return heads.find(job);
    }

    @Override
    Optional<JobHead> headLocked(JobId job) {
        return heads.find(job)
                .map(head ->
                        unfenced ? with(head, 0, head.version(), head.eventSequence(), head.checkpointId()) : head);
    }

    @Override
    void raiseFence(JobId job, int attempt) {
        JobHead head = heads.get(job);
        require(head.fence() < attempt, "the fence of " + job + " did not rise to " + attempt);
        heads.put(job, with(head, attempt, head.version(), head.eventSequence(), head.checkpointId()));
    }

    @Override
    void add(JobId job, AttemptStart start, Instant now) {
        TreeMap<Integer, AttemptStart> all = new TreeMap<>(starts.find(job).orElseGet(TreeMap::new));
        require(all.put(start.attempt(), start) == null, "two decisions for attempt " + start.attempt());
        starts.put(job, all);
    }

    @Override
    Optional<AttemptStart> start(JobId job, int attempt) {
        return starts.find(job).map(all -> all.get(attempt));
    }

    @Override
    Optional<AttemptStart> origin(JobId job) {
        return starts.find(job)
                .flatMap(all -> all.descendingMap().values().stream()
                        .filter(start -> start.verdict() != RestoreVerdict.REFUSED
                                && !start.resumeFrom().equals("latest"))
                        .findFirst());
    }

    @Override
    boolean startedFrom(JobId job, CheckpointId id) {
        return starts.find(job).orElseGet(TreeMap::new).values().stream()
                .anyMatch(start -> id.equals(start.checkpointId()));
    }

    @Override
    List<Checkpoint> line(JobId job, int since, long upTo) {
        List<Checkpoint> line = of(job).filter(checkpoint -> checkpoint.commitVersion() != null
                        && (checkpoint.attempt() >= since || checkpoint.commitVersion() <= upTo))
                .sorted(Comparator.comparing(Checkpoint::commitVersion).reversed())
                .toList();
        List<Checkpoint> needed = new ArrayList<>();
        for (Checkpoint checkpoint : line) {
            needed.add(checkpoint);
            if (checkpoint.committed() && checkpoint.durable()) {
                break;
            }
        }
        boolean stale = mutation == Mutation.STALE_CATALOGUE && line.size() > 1;
        return stale ? line.subList(1, line.size()) : needed;
    }

    @Override
    List<CheckpointId> corrupt(JobId job) {
        return of(job).filter(checkpoint -> checkpoint.phase() == CheckpointPhase.CORRUPT)
                .sorted(Comparator.comparing(Checkpoint::commitVersion))
                .map(Checkpoint::id)
                .toList();
    }

    @Override
    void markCorrupt(CheckpointId id, String reason) {
        Checkpoint before = checkpoints.get(id);
        require(before.committed(), id + " was not COMMITTED when it became CORRUPT");
        checkpoints.put(
                id,
                ended(
                        before,
                        CheckpointPhase.CORRUPT,
                        reason,
                        before.endedAt(),
                        before.commitVersion(),
                        before.durability(),
                        before.sizeBytes()));
    }

    @Override
    long nextEvent(JobId job) {
        JobHead head = heads.get(job);
        heads.put(job, with(head, head.fence(), head.version(), head.eventSequence() + 1, head.checkpointId()));
        return head.eventSequence() + 1;
    }

    @Override
    void markLocal(CheckpointId id, String why) {
        Checkpoint before = checkpoints.get(id);
        if (before.open()) {
            checkpoints.put(id, ended(before, CheckpointPhase.LOCAL, why, before.endedAt(), null, null, 0));
        }
    }

    @Override
    void promote(CheckpointId id) {
        Checkpoint before = checkpoints.get(id);
        require(before.committed() && !before.durable(), id + " was not COMMITTED at PEER");
        checkpoints.put(
                id,
                ended(
                        before,
                        CheckpointPhase.COMMITTED,
                        before.reason(),
                        before.endedAt(),
                        before.commitVersion(),
                        Durability.DURABLE,
                        before.sizeBytes()));
    }

    private static JobHead with(JobHead head, int fence, long version, long events, @Nullable CheckpointId newest) {
        return new JobHead(head.jobId(), head.tenant(), head.project(), fence, version, events, newest);
    }

    @Override
    Optional<Checkpoint> newestCommit(JobId job) {
        return newest(job, checkpoint -> true);
    }

    @Override
    Optional<Checkpoint> newestCommit(JobId job, int attempt) {
        return newest(job, checkpoint -> checkpoint.attempt() == attempt);
    }

    private Optional<Checkpoint> newest(JobId job, Predicate<Checkpoint> which) {
        List<Checkpoint> committed = of(job).filter(
                        checkpoint -> checkpoint.commitVersion() != null && which.test(checkpoint))
                .sorted(Comparator.comparing(Checkpoint::commitVersion).reversed())
                .toList();
        return committed.stream().findFirst();
    }

    private java.util.stream.Stream<Checkpoint> of(JobId job) {
        return checkpoints.rows().values().stream()
                .filter(checkpoint -> checkpoint.jobId().equals(job));
    }

    @Override
    Optional<Checkpoint> at(JobId job, int attempt, long step) {
        return of(job).filter(checkpoint -> checkpoint.attempt() == attempt && checkpoint.step() == step)
                .findFirst();
    }

    @Override
    Optional<Checkpoint> locked(CheckpointId id) {
        return checkpoints.find(id);
    }

    @Override
    Optional<Checkpoint> find(CheckpointId id, @Nullable TenantId tenant, @Nullable ProjectId project) {
        return checkpoints.find(id);
    }

    @Override
    void add(Checkpoint reserved) {
        require(
                at(reserved.jobId(), reserved.attempt(), reserved.step()).isEmpty(),
                "two reservations of one step: " + reserved);
        checkpoints.put(reserved.id(), reserved);
    }

    @Override
    void commit(JobHead seen, Checkpoint checkpoint, Durability durability, long sizeBytes, Instant now) {
        JobHead head = heads.get(seen.jobId());
        boolean acting = head.fence() == checkpoint.attempt() || mutation == Mutation.FENCE_IGNORED;
        require(
                acting && head.version() == seen.version(),
                "the head of " + seen.jobId() + " moved under the commit of " + checkpoint.id());
        heads.put(head.jobId(), with(head, head.fence(), seen.version() + 1, head.eventSequence(), checkpoint.id()));
        Checkpoint before = checkpoints.get(checkpoint.id());
        require(before.open(), checkpoint.id() + " was neither RESERVED nor LOCAL at its commit");
        checkpoints.put(
                checkpoint.id(),
                ended(before, CheckpointPhase.COMMITTED, null, now, seen.version() + 1, durability, sizeBytes));
    }

    @Override
    int abandonBelow(JobId job, int attempt, long step, String reason, Instant now) {
        return abandon(
                checkpoint ->
                        checkpoint.jobId().equals(job) && checkpoint.attempt() == attempt && checkpoint.step() < step,
                reason,
                now);
    }

    @Override
    int abandonBefore(JobId job, int attempt, String reason, Instant now) {
        return mutation == Mutation.FENCE_IGNORED
                ? 0
                : abandon(checkpoint -> checkpoint.jobId().equals(job) && checkpoint.attempt() < attempt, reason, now);
    }

    @Override
    int abandonOverdue(Instant now, String reason, int limit) {
        return abandon(checkpoint -> !checkpoint.deadline().isAfter(now), reason, now);
    }

    private int abandon(Predicate<Checkpoint> which, String reason, Instant now) {
        List<Checkpoint> found = new ArrayList<>(checkpoints.rows().values())
                .stream()
                        .filter(checkpoint -> checkpoint.open() && which.test(checkpoint))
                        .toList();
        found.forEach(checkpoint -> checkpoints.put(
                checkpoint.id(), ended(checkpoint, CheckpointPhase.ABANDONED, reason, now, null, null, 0)));
        return found.size();
    }

    private static Checkpoint ended(
            Checkpoint before,
            CheckpointPhase phase,
            @Nullable String reason,
            Instant now,
            @Nullable Long version,
            @Nullable Durability durability,
            long size) {
        return new Checkpoint(
                before.id(),
                before.jobId(),
                before.attempt(),
                before.step(),
                before.worldSize(),
                phase,
                before.parentId(),
                before.reservedAt(),
                before.deadline(),
                now,
                version,
                durability,
                size,
                reason);
    }

    private static void require(boolean held, String broken) {
        if (!held) {
            throw new IllegalStateException(broken);
        }
    }
}
