package io.muster.checkpoint.catalog;

import io.muster.contract.checkpoint.CheckpointPhase;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.TenantId;
import io.muster.simulation.Database;
import io.muster.simulation.Mutation;
import io.muster.simulation.Table;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.simple.JdbcClient;

/** {@link CatalogRepository} without SQL, with the same conditions on what it writes. */
@SuppressWarnings("NullAway")
final class Catalogue extends CatalogRepository {

    final Table<JobId, JobHead> heads;
    final Table<CheckpointId, Checkpoint> checkpoints;
    private final Table<CheckpointId, Map<Integer, StoredShard>> shards;
    private final Table<JobId, TreeMap<Integer, AttemptStart>> starts;
    private final Mutation mutation;
    boolean unfenced;

    Catalogue(Database database, Mutation mutation) {
        super((JdbcClient) null, (JdbcOperations) null);
        this.heads = new Table<>(database);
        this.checkpoints = new Table<>(database);
        this.shards = new Table<>(database);
        this.starts = new Table<>(database);
        this.mutation = mutation;
    }

    @Override
    void addHead(JobId job, TenantId tenant, ProjectId project) {
        if (heads.get(job) == null) {
            heads.put(job, new JobHead(job, tenant, project, 0, 0, null));
        }
    }

    @Override
    Optional<JobHead> head(JobId job) {
        return heads.find(job);
    }

    @Override
    Optional<JobHead> headLocked(JobId job) {
        return heads.find(job)
                .map(head -> unfenced
                        ? new JobHead(job, head.tenant(), head.project(), 0, head.version(), head.checkpointId())
                        : head);
    }

    @Override
    void raiseFence(JobId job, int attempt) {
        JobHead head = heads.get(job);
        require(head.fence() < attempt, "the fence of " + job + " did not rise to " + attempt);
        heads.put(
                job,
                new JobHead(job, head.tenant(), head.project(), attempt, head.version(), head.checkpointId()));
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
    Optional<Checkpoint> base(JobId job) {
        return starts.find(job)
                .flatMap(all -> all.descendingMap().values().stream()
                        .filter(start -> start.verdict() != RestoreVerdict.REFUSED)
                        .findFirst())
                .map(AttemptStart::checkpointId)
                .flatMap(checkpoints::find);
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
        List<Checkpoint> committed = of(job)
                .filter(checkpoint -> checkpoint.committed() && which.test(checkpoint))
                .sorted(Comparator.comparing(Checkpoint::commitVersion).reversed())
                .toList();
        boolean stale = mutation == Mutation.STALE_CATALOGUE && committed.size() > 1;
        return committed.isEmpty() ? Optional.empty() : Optional.of(committed.get(stale ? 1 : 0));
    }

    private java.util.stream.Stream<Checkpoint> of(JobId job) {
        return checkpoints.rows().values().stream().filter(checkpoint -> checkpoint.jobId().equals(job));
    }

    @Override
    Optional<Checkpoint> at(JobId job, int attempt, long step) {
        return of(job)
                .filter(checkpoint -> checkpoint.attempt() == attempt && checkpoint.step() == step)
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
    Map<Integer, StoredShard> shards(CheckpointId id) {
        return shards.find(id).orElseGet(TreeMap::new);
    }

    @Override
    void add(CheckpointId id, NodeId node, List<StoredShard> added, Instant now) {
        Map<Integer, StoredShard> all = new TreeMap<>(shards(id));
        added.forEach(shard -> require(all.put(shard.rank(), shard) == null, "two shards of rank " + shard.rank()));
        shards.put(id, all);
    }

    @Override
    void commit(JobHead seen, Checkpoint checkpoint, long sizeBytes, Instant now) {
        JobHead head = heads.get(seen.jobId());
        boolean acting = head.fence() == checkpoint.attempt() || mutation == Mutation.FENCE_IGNORED;
        require(
                acting && head.version() == seen.version(),
                "the head of " + seen.jobId() + " moved under the commit of " + checkpoint.id());
        heads.put(
                head.jobId(),
                new JobHead(
                        head.jobId(), head.tenant(), head.project(), head.fence(), seen.version() + 1, checkpoint.id()));
        Checkpoint before = checkpoints.get(checkpoint.id());
        require(before.phase() == CheckpointPhase.RESERVED, checkpoint.id() + " was not RESERVED at its commit");
        checkpoints.put(
                checkpoint.id(), ended(before, CheckpointPhase.COMMITTED, null, now, seen.version() + 1, sizeBytes));
    }

    @Override
    int abandonBelow(JobId job, int attempt, long step, String reason, Instant now) {
        return abandon(
                checkpoint -> checkpoint.jobId().equals(job)
                        && checkpoint.attempt() == attempt
                        && checkpoint.step() < step,
                reason,
                now);
    }

    @Override
    int abandonBefore(JobId job, int attempt, String reason, Instant now) {
        return mutation == Mutation.FENCE_IGNORED
                ? 0
                : abandon(
                        checkpoint -> checkpoint.jobId().equals(job) && checkpoint.attempt() < attempt, reason, now);
    }

    @Override
    int abandonOverdue(Instant now, String reason, int limit) {
        return abandon(checkpoint -> !checkpoint.deadline().isAfter(now), reason, now);
    }

    private int abandon(Predicate<Checkpoint> which, String reason, Instant now) {
        List<Checkpoint> found = new ArrayList<>(checkpoints.rows().values())
                .stream()
                        .filter(checkpoint -> checkpoint.phase() == CheckpointPhase.RESERVED && which.test(checkpoint))
                        .toList();
        found.forEach(checkpoint -> checkpoints.put(
                checkpoint.id(), ended(checkpoint, CheckpointPhase.ABANDONED, reason, now, null, 0)));
        return found.size();
    }

    private static Checkpoint ended(
            Checkpoint before,
            CheckpointPhase phase,
            @Nullable String reason,
            Instant now,
            @Nullable Long version,
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
                size,
                reason);
    }

    private static void require(boolean held, String broken) {
        if (!held) {
            throw new IllegalStateException(broken);
        }
    }
}
