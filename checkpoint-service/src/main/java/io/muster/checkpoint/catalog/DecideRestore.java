package io.muster.checkpoint.catalog;

import io.muster.checkpoint.node.KnownNode;
import io.muster.checkpoint.node.KnownNodes;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreRequest;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Answers what an attempt starts from, and ends all earlier ones, in one transaction: what agents found damaged becomes
 * CORRUPT, the fence rises to the attempt, what earlier ones had reserved is abandoned, and the choice is stored. All of
 * it is read from the tables under the lock of the job's head, so a commit is either seen or fenced, and no answer is
 * older than the truth. Asked again, the attempt hears the same answer, with the copies that are left by then; an attempt
 * behind the fence is refused and changes nothing.
 */
@Service
class DecideRestore {

    private static final Logger LOG = LoggerFactory.getLogger(DecideRestore.class);

    private final CatalogRepository catalog;
    private final ShardRepository shards;
    private final KnownNodes nodes;
    private final RestoreFacts facts;
    private final Damage damage;
    private final CheckpointMetrics metrics;
    private final Clock clock;

    DecideRestore(
            CatalogRepository catalog,
            ShardRepository shards,
            KnownNodes nodes,
            RestoreFacts facts,
            Damage damage,
            CheckpointMetrics metrics,
            Clock clock) {
        this.catalog = catalog;
        this.shards = shards;
        this.nodes = nodes;
        this.facts = facts;
        this.damage = damage;
        this.metrics = metrics;
        this.clock = clock;
    }

    @Transactional
    RestoreDecision decide(RestoreRequest request) {
        catalog.addHead(request.jobId(), request.tenant(), request.project());
        JobHead head = locked(request);
        if (!head.tenant().equals(request.tenant()) || !head.project().equals(request.project())) {
            return answer(
                    head,
                    RestoreChoice.refused(
                            request,
                            request.jobId() + " belongs to project " + head.project() + " of " + head.tenant()
                                    + ", not to " + request.project() + " of " + request.tenant()));
        }
        if (request.attempt() < head.fence()) {
            return answer(
                    head,
                    RestoreChoice.refused(request, Fence.passed(request.jobId(), request.attempt(), head.fence())));
        }
        return answer(head, catalog.start(request.jobId(), request.attempt()).orElseGet(() -> begin(request, head)));
    }

    /** Two jobs that each report the other's checkpoint lock both heads in the same order. */
    private JobHead locked(RestoreRequest request) {
        for (JobId job : damage.jobs(request)) {
            catalog.headLocked(job);
        }
        return catalog.head(request.jobId()).orElseThrow();
    }

    private AttemptStart begin(RestoreRequest request, JobHead head) {
        Instant now = clock.instant();
        damage.mark(request, now);
        RestoreChoice.Facts known = facts.of(request, head);
        AttemptStart start = RestoreChoice.choose(request, known);
        catalog.raiseFence(request.jobId(), request.attempt());
        int abandoned = catalog.abandonBefore(
                request.jobId(), request.attempt(), "attempt " + request.attempt() + " has begun", now);
        catalog.add(request.jobId(), start, now);
        metrics.abandoned(abandoned);
        LOG.info(
                "restore job={} attempt={} verdict={} abandoned={}: {}",
                request.jobId(),
                request.attempt(),
                start.verdict(),
                abandoned,
                start.message());
        if (start.newer() != null) {
            alarm(request, start, start.newer());
        }
        return start;
    }

    private void alarm(RestoreRequest request, AttemptStart start, CheckpointId newer) {
        LOG.warn(
                "ALARM older than the newest commit: job={} attempt={} restored={} newest={}: {}",
                request.jobId(),
                request.attempt(),
                start.checkpointId() == null ? "nothing" : start.checkpointId(),
                newer,
                start.message());
        metrics.restoredOlder(lost(start.checkpointId(), newer));
    }

    private @Nullable Duration lost(@Nullable CheckpointId chosen, CheckpointId newer) {
        return chosen == null
                ? null
                : RestoreChoice.lost(
                        catalog.find(chosen, null, null).orElseThrow(),
                        catalog.find(newer, null, null).orElseThrow());
    }

    private RestoreDecision answer(JobHead head, AttemptStart start) {
        CheckpointId id = start.checkpointId();
        return new RestoreDecision(
                start.verdict(),
                id,
                start.verdict() == RestoreVerdict.RESTORED ? start.step() : 0,
                id == null ? List.of() : places(head, id),
                start.message());
    }

    /** Copies in memory serve the job's own attempts only. */
    private List<StoredShard> places(JobHead head, CheckpointId id) {
        Map<Integer, ShardCopies> all = shards.of(id);
        boolean own = catalog.find(id, null, null)
                .filter(found -> found.jobId().equals(head.jobId()))
                .isPresent();
        Map<NodeId, KnownNode> known = own ? nodes.of(ShardCopies.holders(all)) : Map.of();
        return all.values().stream().map(shard -> shard.reachable(known)).toList();
    }
}
