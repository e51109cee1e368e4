package io.muster.checkpoint.catalog;

import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreRequest;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.CheckpointId;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Answers what an attempt starts from, and ends all earlier ones, in one transaction: the fence rises to the attempt,
 * what earlier ones had reserved is abandoned, and the choice is stored. Asked again, the attempt hears the same answer;
 * an attempt behind the fence is refused and changes nothing.
 */
@Service
class DecideRestore {

    private static final Logger LOG = LoggerFactory.getLogger(DecideRestore.class);

    private final CatalogRepository catalog;
    private final CheckpointMetrics metrics;
    private final Clock clock;

    DecideRestore(CatalogRepository catalog, CheckpointMetrics metrics, Clock clock) {
        this.catalog = catalog;
        this.metrics = metrics;
        this.clock = clock;
    }

    @Transactional
    RestoreDecision decide(RestoreRequest request) {
        catalog.addHead(request.jobId(), request.tenant(), request.project());
        JobHead head = catalog.headLocked(request.jobId()).orElseThrow();
        if (!head.tenant().equals(request.tenant()) || !head.project().equals(request.project())) {
            return answer(RestoreChoice.refused(
                    request,
                    request.jobId() + " belongs to project " + head.project() + " of " + head.tenant() + ", not to "
                            + request.project() + " of " + request.tenant()));
        }
        if (request.attempt() < head.fence()) {
            return answer(
                    RestoreChoice.refused(request, Fence.passed(request.jobId(), request.attempt(), head.fence())));
        }
        return answer(catalog.start(request.jobId(), request.attempt()).orElseGet(() -> begin(request)));
    }

    private AttemptStart begin(RestoreRequest request) {
        Instant now = clock.instant();
        var facts = new RestoreChoice.Facts(
                catalog.newestCommit(request.jobId()).orElse(null),
                catalog.base(request.jobId()).orElse(null),
                named(request));
        AttemptStart start = RestoreChoice.choose(request, facts);
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
        return start;
    }

    private @Nullable Checkpoint named(RestoreRequest request) {
        return CheckpointIds.read(request.resumeFrom())
                .flatMap(id -> catalog.find(id, request.tenant(), request.project()))
                .orElse(null);
    }

    private RestoreDecision answer(AttemptStart start) {
        CheckpointId id = start.checkpointId();
        List<StoredShard> shards = Optional.ofNullable(id)
                .map(chosen -> List.copyOf(catalog.shards(chosen).values()))
                .orElse(List.of());
        return new RestoreDecision(
                start.verdict(),
                id,
                start.verdict() == RestoreVerdict.RESTORED ? start.step() : 0,
                shards,
                start.message());
    }
}
