package io.muster.checkpoint.catalog;

import io.muster.contract.EventType;
import io.muster.contract.checkpoint.RestoreRequest;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Marks CORRUPT what agents found damaged: committed checkpoints that an attempt of the reporting job was told to start
 * from, of this job or of the one it began from. They keep their place in the order of commits; nothing is deleted. What
 * the job was never told to start from, nobody has verified for it: its report changes nothing.
 */
@Component
class Damage {

    private static final Logger LOG = LoggerFactory.getLogger(Damage.class);

    private final CatalogRepository catalog;
    private final CheckpointEvents events;
    private final CheckpointMetrics metrics;

    Damage(CatalogRepository catalog, CheckpointEvents events, CheckpointMetrics metrics) {
        this.catalog = catalog;
        this.events = events;
        this.metrics = metrics;
    }

    /** The jobs whose heads must be locked, this one among them, in the order to lock them in. */
    SortedSet<JobId> jobs(RestoreRequest request) {
        SortedSet<JobId> jobs = new TreeSet<>();
        jobs.add(request.jobId());
        for (CheckpointId id : request.damaged()) {
            catalog.find(id, request.tenant(), request.project()).ifPresent(found -> jobs.add(found.jobId()));
        }
        return jobs;
    }

    /** Under the locks of all heads; one event for each job. */
    void mark(RestoreRequest request, Instant now) {
        List<Checkpoint> marked = new ArrayList<>();
        for (CheckpointId id : new TreeSet<>(request.damaged())) {
            catalog.find(id, request.tenant(), request.project())
                    .filter(Checkpoint::committed)
                    .filter(found -> toldToStartFrom(request, found))
                    .ifPresent(found -> {
                        mark(request, found, now);
                        marked.add(found);
                    });
        }
        marked.stream()
                .map(Checkpoint::jobId)
                .distinct()
                .sorted()
                .forEach(job -> events.changed(catalog.head(job).orElseThrow(), EventType.CHECKPOINT_CORRUPT));
    }

    private boolean toldToStartFrom(RestoreRequest request, Checkpoint found) {
        boolean told = catalog.startedFrom(request.jobId(), found.id());
        if (!told) {
            LOG.warn(
                    "checkpoint={} reported as damaged by job={} attempt={}, which was never told to start from it: ignored",
                    found.id(),
                    request.jobId(),
                    request.attempt());
        }
        return told;
    }

    private void mark(RestoreRequest request, Checkpoint found, Instant now) {
        String reason = "attempt " + (request.attempt() - 1) + " of " + request.jobId()
                + " found no whole copy of a shard, neither in memory nor in the store; marked " + now
                + " before attempt " + request.attempt();
        catalog.markCorrupt(found.id(), reason);
        metrics.corrupt();
        LOG.warn(
                "checkpoint={} corrupt job={} attempt={} step={}: {}",
                found.id(),
                found.jobId(),
                found.attempt(),
                found.step(),
                reason);
    }
}
