package io.muster.checkpoint.catalog;

import io.muster.checkpoint.catalog.ReserveRules.Reservation;
import io.muster.contract.checkpoint.CheckpointPhase;
import io.muster.contract.checkpoint.ReserveAnswer;
import io.muster.contract.checkpoint.ReserveCheckpoint;
import io.muster.contract.id.CheckpointId;
import io.muster.edge.id.Ids;
import java.time.Clock;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Begins checkpoints, one for a job, attempt and step, whichever member asks first; and abandons those that are not whole
 * by their deadline, so that a lost rank does not leave one open for ever.
 */
@Service
class Reservations {

    private static final Logger LOG = LoggerFactory.getLogger(Reservations.class);
    private static final int SWEEP = 500;

    private final CatalogRepository catalog;
    private final CheckpointMetrics metrics;
    private final CheckpointProperties properties;
    private final Ids ids;
    private final Clock clock;

    Reservations(
            CatalogRepository catalog,
            CheckpointMetrics metrics,
            CheckpointProperties properties,
            Ids ids,
            Clock clock) {
        this.catalog = catalog;
        this.metrics = metrics;
        this.properties = properties;
        this.ids = ids;
        this.clock = clock;
    }

    @Transactional
    ReserveAnswer reserve(ReserveCheckpoint request) {
        JobHead head = catalog.headLocked(request.jobId()).orElse(null);
        AttemptStart start = catalog.start(request.jobId(), request.attempt()).orElse(null);
        Checkpoint newest =
                catalog.newestCommit(request.jobId(), request.attempt()).orElse(null);
        Checkpoint known =
                catalog.at(request.jobId(), request.attempt(), request.step()).orElse(null);
        return switch (ReserveRules.judge(request, head, start, known, newest)) {
            case Reservation.Open() -> begin(request, start, newest);
            case Reservation.Known(var checkpoint) -> new ReserveAnswer(checkpoint.id(), null, false);
            case Reservation.Fenced(var message) -> {
                metrics.fenced();
                yield new ReserveAnswer(null, message, false);
            }
            case Reservation.Refused(var message, boolean retryable) -> new ReserveAnswer(null, message, retryable);
        };
    }

    private ReserveAnswer begin(ReserveCheckpoint request, @Nullable AttemptStart start, @Nullable Checkpoint newest) {
        Instant now = clock.instant();
        @Nullable CheckpointId base = start == null ? null : start.checkpointId();
        var checkpoint = new Checkpoint(
                ids.newCheckpointId(),
                request.jobId(),
                request.attempt(),
                request.step(),
                request.worldSize(),
                CheckpointPhase.RESERVED,
                newest == null ? base : newest.id(),
                now,
                now.plus(properties.reserveDeadline()),
                null,
                null,
                null,
                0,
                null);
        catalog.add(checkpoint);
        LOG.info(
                "checkpoint={} reserved job={} attempt={} step={} ranks={}",
                checkpoint.id(),
                request.jobId(),
                request.attempt(),
                request.step(),
                request.worldSize());
        return new ReserveAnswer(checkpoint.id(), null, false);
    }

    @Scheduled(fixedDelayString = "${muster.checkpoint.sweep-interval:30s}")
    @Transactional
    void abandonOverdue() {
        String reason = "not whole within " + properties.reserveDeadline().toSeconds() + " s of its reservation";
        int abandoned = catalog.abandonOverdue(clock.instant(), reason, SWEEP);
        metrics.abandoned(abandoned);
        if (abandoned > 0) {
            LOG.info("checkpoints abandoned={}: {}", abandoned, reason);
        }
    }
}
