package io.muster.checkpoint.catalog;

import io.muster.contract.checkpoint.Durability;
import io.muster.checkpoint.member.Seat;
import io.muster.contract.EventType;
import io.muster.contract.Topics;
import io.muster.contract.checkpoint.CheckpointPhase;
import io.muster.contract.checkpoint.CheckpointState;
import io.muster.contract.checkpoint.ReportShards;
import io.muster.contract.checkpoint.ShardsAnswer;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.NodeId;
import io.muster.messaging.Outbox;
import io.muster.messaging.OutgoingEvent;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Takes the shards that members have stored, and commits the checkpoint with the last of them: shards, head, phase, what
 * the commit overtakes, and event in one transaction. Of an attempt behind the fence nothing is taken, not even what is
 * whole. A report for a checkpoint that was abandoned is answered with that phase.
 */
@Service
class StoreShards {

    private static final Logger LOG = LoggerFactory.getLogger(StoreShards.class);

    private final CatalogRepository catalog;
    private final CheckpointMetrics metrics;
    private final Outbox outbox;
    private final Clock clock;

    StoreShards(CatalogRepository catalog, CheckpointMetrics metrics, Outbox outbox, Clock clock) {
        this.catalog = catalog;
        this.metrics = metrics;
        this.outbox = outbox;
        this.clock = clock;
    }

    @Transactional
    ShardReport take(CheckpointId id, ReportShards report, NodeId from, List<Seat> seats) {
        JobHead head = catalog.headLocked(report.jobId()).orElse(null);
        if (head != null && report.attempt() < head.fence()) {
            metrics.fenced();
            return new ShardReport.Fenced(Fence.passed(report.jobId(), report.attempt(), head.fence()));
        }
        Checkpoint checkpoint = catalog.locked(id)
                .filter(found -> found.jobId().equals(report.jobId())
                        && found.attempt() == report.attempt()
                        && found.step() == report.step())
                .orElse(null);
        if (head == null || checkpoint == null) {
            return new ShardReport.Unknown(id);
        }
        Map<Integer, StoredShard> known = catalog.shards(id);
        var scope = new ReportScope(head.tenant(), checkpoint, from, seats);
        return switch (ShardRules.judge(report.shards(), scope, known)) {
            case ShardRules.Report.Malformed(var violations) -> new ShardReport.Malformed(violations);
            case ShardRules.Report.Elsewhere(int rank) -> new ShardReport.Elsewhere(scope, rank);
            case ShardRules.Report.Conflict(var before, var told) -> new ShardReport.Conflict(id, before, told);
            case ShardRules.Report.Fits(var added) -> {
                if (checkpoint.phase() != CheckpointPhase.RESERVED) {
                    yield taken(checkpoint, checkpoint.phase(), known.size());
                }
                Instant now = clock.instant();
                catalog.add(id, from, added, now);
                Map<Integer, StoredShard> all = new TreeMap<>(known);
                added.forEach(shard -> all.put(shard.rank(), shard));
                if (all.size() < checkpoint.worldSize()) {
                    yield taken(checkpoint, CheckpointPhase.RESERVED, all.size());
                }
                commit(head, checkpoint, all, now);
                yield taken(checkpoint, CheckpointPhase.COMMITTED, all.size());
            }
        };
    }

    private static ShardReport taken(Checkpoint checkpoint, CheckpointPhase phase, int stored) {
        return new ShardReport.Taken(new ShardsAnswer(checkpoint.id(), phase, stored, checkpoint.worldSize(), null));
    }

    private void commit(JobHead head, Checkpoint checkpoint, Map<Integer, StoredShard> shards, Instant now) {
        long size = shards.values().stream().mapToLong(StoredShard::sizeBytes).sum();
        catalog.commit(head, checkpoint, size, now);
        int overtaken = catalog.abandonBelow(
                head.jobId(),
                checkpoint.attempt(),
                checkpoint.step(),
                "overtaken by " + checkpoint.id() + " of step " + checkpoint.step(),
                now);
        outbox.append(new OutgoingEvent(
                Topics.CHECKPOINTS,
                head.jobId().value(),
                EventType.CHECKPOINT_COMMITTED.type(),
                "jobs/" + head.jobId(),
                head.version() + 1,
                new CheckpointState(
                        head.jobId(),
                        head.tenant(),
                        checkpoint.id(),
                        checkpoint.attempt(),
                        checkpoint.step(),
                        checkpoint.worldSize(),
                        size,
                        now, Durability.DURABLE)));
        metrics.committed(Duration.between(checkpoint.reservedAt(), now));
        metrics.abandoned(overtaken);
        LOG.info(
                "checkpoint={} committed job={} attempt={} step={} bytes={} order={} overtaken={}",
                checkpoint.id(),
                head.jobId(),
                checkpoint.attempt(),
                checkpoint.step(),
                size,
                head.version() + 1,
                overtaken);
    }
}
