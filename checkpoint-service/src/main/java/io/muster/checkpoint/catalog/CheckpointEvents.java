package io.muster.checkpoint.catalog;

import io.muster.contract.EventType;
import io.muster.contract.Topics;
import io.muster.contract.checkpoint.CheckpointState;
import io.muster.messaging.Outbox;
import io.muster.messaging.OutgoingEvent;
import java.util.Objects;
import org.springframework.stereotype.Component;

/**
 * Tells of a job's checkpoints: the newest commit with what is known of it now, and every corrupt one. Called in the
 * transaction of the change, under the lock of the job's head, so events are numbered in the order of the changes.
 */
@Component
class CheckpointEvents {

    private final CatalogRepository catalog;
    private final Outbox outbox;

    CheckpointEvents(CatalogRepository catalog, Outbox outbox) {
        this.catalog = catalog;
        this.outbox = outbox;
    }

    /** The change has been made; the job has committed. */
    void changed(JobHead head, EventType type) {
        Checkpoint newest = catalog.newestCommit(head.jobId()).orElseThrow();
        outbox.append(new OutgoingEvent(
                Topics.CHECKPOINTS,
                head.jobId().value(),
                type.type(),
                "jobs/" + head.jobId(),
                catalog.nextEvent(head.jobId()),
                new CheckpointState(
                        head.jobId(),
                        head.tenant(),
                        newest.id(),
                        newest.attempt(),
                        newest.step(),
                        newest.worldSize(),
                        newest.sizeBytes(),
                        newest.reservedAt(),
                        Objects.requireNonNull(newest.endedAt()),
                        Objects.requireNonNull(newest.durability()),
                        catalog.corrupt(head.jobId()))));
    }
}
