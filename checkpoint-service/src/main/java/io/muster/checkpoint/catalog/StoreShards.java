package io.muster.checkpoint.catalog;

import io.muster.checkpoint.member.Seat;
import io.muster.checkpoint.node.KnownNodes;
import io.muster.contract.EventType;
import io.muster.contract.checkpoint.CheckpointPhase;
import io.muster.contract.checkpoint.Durability;
import io.muster.contract.checkpoint.ReportShards;
import io.muster.contract.checkpoint.ShardHolder;
import io.muster.contract.checkpoint.ShardsAnswer;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.NodeId;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Takes what members tell of the copies of their shards, and commits the checkpoint with the first report that makes it
 * safe: copies, head, phase, what the commit overtakes, and event in one transaction. A commit that was safe in memory
 * only becomes DURABLE with the last place in the store; its place in the order of commits stays.
 *
 * <p>Of an attempt behind the fence nothing is taken, not even what is whole. The attempt at the fence may also tell of
 * further copies of what it was restored from. A report for a checkpoint that was given up is answered with its phase.
 */
@Service
class StoreShards {

    private static final Logger LOG = LoggerFactory.getLogger(StoreShards.class);

    private final CatalogRepository catalog;
    private final ShardRepository shards;
    private final KnownNodes nodes;
    private final CheckpointEvents events;
    private final CheckpointMetrics metrics;
    private final Clock clock;

    StoreShards(
            CatalogRepository catalog,
            ShardRepository shards,
            KnownNodes nodes,
            CheckpointEvents events,
            CheckpointMetrics metrics,
            Clock clock) {
        this.catalog = catalog;
        this.shards = shards;
        this.nodes = nodes;
        this.events = events;
        this.metrics = metrics;
        this.clock = clock;
    }

    @Transactional
    ShardReport take(CheckpointId id, ReportShards report, NodeId from, List<Seat> seats) {
        JobHead head = catalog.headLocked(report.jobId()).orElse(null);
        if (head != null && report.attempt() < head.fence()) {
            metrics.fenced();
            return new ShardReport.Fenced(Fence.passed(report.jobId(), report.attempt(), head.fence()));
        }
        Checkpoint checkpoint =
                catalog.locked(id).filter(found -> isOf(report, found)).orElse(null);
        if (head == null || checkpoint == null) {
            return new ShardReport.Unknown(id);
        }
        Map<Integer, StoredShard> known = new TreeMap<>();
        shards.of(id).forEach((rank, shard) -> known.put(rank, shard.told()));
        var scope = new ReportScope(head.tenant(), checkpoint, from, seats);
        return switch (ShardRules.judge(report.shards(), scope, known)) {
            case ShardRules.Report.Malformed(var violations) -> new ShardReport.Malformed(violations);
            case ShardRules.Report.Elsewhere(int rank) -> new ShardReport.Elsewhere(scope, rank);
            case ShardRules.Report.Conflict(var before, var told) -> new ShardReport.Conflict(id, before, told);
            case ShardRules.Report.Fits(var added) -> {
                if (!checkpoint.open() && !checkpoint.committed()) {
                    yield taken(checkpoint, checkpoint.phase(), known.size(), null);
                }
                if (!added.isEmpty()) {
                    keep(head, checkpoint, from, added);
                }
                yield checkpoint.durable()
                        ? taken(checkpoint, CheckpointPhase.COMMITTED, known.size(), Durability.DURABLE)
                        : judged(head, checkpoint);
            }
        };
    }

    private boolean isOf(ReportShards report, Checkpoint found) {
        if (!found.jobId().equals(report.jobId()) || found.step() != report.step()) {
            return false;
        }
        return found.attempt() == report.attempt()
                || catalog.start(report.jobId(), report.attempt())
                        .filter(start -> found.id().equals(start.checkpointId()))
                        .isPresent();
    }

    private void keep(JobHead head, Checkpoint checkpoint, NodeId from, List<StoredShard> added) {
        Instant now = clock.instant();
        shards.put(checkpoint.id(), from, added, now);
        if (head.remembers(checkpoint)) {
            Map<NodeId, String> memories = new TreeMap<>();
            nodes.of(added.stream()
                            .flatMap(shard -> shard.holders().stream())
                            .map(ShardHolder::node)
                            .collect(Collectors.toCollection(TreeSet::new)))
                    .forEach((node, state) -> memories.put(node, state.memory()));
            shards.putCopies(checkpoint, added, memories, now);
        }
    }

    private ShardReport judged(JobHead head, Checkpoint checkpoint) {
        Map<Integer, ShardCopies> all = shards.of(checkpoint.id());
        Safety safety = SafetyRules.judge(checkpoint.worldSize(), all, nodes.of(ShardCopies.holders(all)));
        if (checkpoint.committed()) {
            boolean promoted = safety instanceof Safety.Durable;
            if (promoted) {
                promote(head, checkpoint);
            }
            return taken(
                    checkpoint,
                    CheckpointPhase.COMMITTED,
                    all.size(),
                    promoted ? Durability.DURABLE : checkpoint.durability());
        }
        return switch (safety) {
            case Safety.Incomplete() -> taken(checkpoint, checkpoint.phase(), all.size(), null);
            case Safety.Local(var why) -> {
                catalog.markLocal(checkpoint.id(), "not safe yet: " + why);
                yield taken(checkpoint, CheckpointPhase.LOCAL, all.size(), null);
            }
            case Safety.Peer() -> committed(head, checkpoint, Durability.PEER, all);
            case Safety.Durable() -> committed(head, checkpoint, Durability.DURABLE, all);
        };
    }

    private static ShardReport taken(
            Checkpoint checkpoint, CheckpointPhase phase, int stored, @Nullable Durability durability) {
        return new ShardReport.Taken(
                new ShardsAnswer(checkpoint.id(), phase, stored, checkpoint.worldSize(), durability));
    }

    private ShardReport committed(
            JobHead head, Checkpoint checkpoint, Durability durability, Map<Integer, ShardCopies> all) {
        Instant now = clock.instant();
        long size = all.values().stream().mapToLong(ShardCopies::sizeBytes).sum();
        long order = head.version() + 1;
        catalog.commit(head, checkpoint, durability, size, now);
        int overtaken = catalog.abandonBelow(
                head.jobId(),
                checkpoint.attempt(),
                checkpoint.step(),
                "overtaken by " + checkpoint.id() + " of step " + checkpoint.step(),
                now);
        shards.forgetCopies(head.jobId(), order - JobHead.COMMITS_IN_MEMORY);
        events.changed(head, EventType.CHECKPOINT_COMMITTED);
        metrics.committed();
        metrics.written(durability, Duration.between(checkpoint.reservedAt(), now));
        metrics.abandoned(overtaken);
        LOG.info(
                "checkpoint={} committed job={} attempt={} step={} durability={} bytes={} order={} overtaken={}",
                checkpoint.id(),
                head.jobId(),
                checkpoint.attempt(),
                checkpoint.step(),
                durability,
                size,
                order,
                overtaken);
        return taken(checkpoint, CheckpointPhase.COMMITTED, all.size(), durability);
    }

    private void promote(JobHead head, Checkpoint checkpoint) {
        catalog.promote(checkpoint.id());
        if (checkpoint.id().equals(head.checkpointId())) {
            events.changed(head, EventType.CHECKPOINT_COMMITTED);
        }
        metrics.written(Durability.DURABLE, Duration.between(checkpoint.reservedAt(), clock.instant()));
        LOG.info(
                "checkpoint={} durable job={} attempt={} step={}",
                checkpoint.id(),
                head.jobId(),
                checkpoint.attempt(),
                checkpoint.step());
    }
}
