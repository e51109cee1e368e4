package io.muster.checkpoint.catalog;

import io.muster.checkpoint.node.KnownNodes;
import io.muster.contract.checkpoint.RestoreRequest;
import io.muster.contract.id.JobId;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Reads what the choice of a start turns on, from the tables alone, in the transaction that raises the fence. */
@Component
class RestoreFacts {

    private final CatalogRepository catalog;
    private final ShardRepository shards;
    private final KnownNodes nodes;

    RestoreFacts(CatalogRepository catalog, ShardRepository shards, KnownNodes nodes) {
        this.catalog = catalog;
        this.shards = shards;
        this.nodes = nodes;
    }

    /** @param head locked */
    RestoreChoice.Facts of(RestoreRequest request, JobHead head) {
        JobId job = head.jobId();
        AttemptStart origin = catalog.origin(job).orElse(null);
        Checkpoint began = origin == null || origin.checkpointId() == null
                ? null
                : catalog.find(origin.checkpointId(), null, null).orElse(null);
        boolean own = began != null && began.jobId().equals(job);
        List<Candidate> line = line(job, own ? origin : null, own ? began : null).stream()
                .map(commit -> candidate(commit, head))
                .toList();
        Checkpoint named = CheckpointIds.read(request.resumeFrom())
                .flatMap(id -> catalog.find(id, request.tenant(), request.project()))
                .orElse(null);
        return new RestoreChoice.Facts(
                line,
                catalog.newestCommit(job).orElse(null),
                origin,
                began == null || own ? null : candidate(began, head),
                named == null ? null : candidate(named, head),
                named == null ? null : catalog.newestCommit(named.jobId()).orElse(null));
    }

    /** What a person went back to leaves out the commits between it and that start; they stay, beside the lineage. */
    private List<Checkpoint> line(JobId job, @Nullable AttemptStart origin, @Nullable Checkpoint began) {
        if (origin == null || began == null || began.commitVersion() == null) {
            return catalog.line(job, 0, 0);
        }
        return catalog.line(job, origin.attempt(), began.commitVersion());
    }

    /** Copies in memory serve the job's own attempts only; what is not remembered has only its places in the store. */
    private Candidate candidate(Checkpoint checkpoint, JobHead head) {
        return new Candidate(
                checkpoint, checkpoint.durable() || !checkpoint.committed() ? null : gone(checkpoint, head));
    }

    private @Nullable String gone(Checkpoint checkpoint, JobHead head) {
        if (!checkpoint.jobId().equals(head.jobId())) {
            return "only in the memory of the nodes of " + checkpoint.jobId()
                    + " so far; another job can start from it when it is in the store";
        }
        Map<Integer, ShardCopies> all = shards.of(checkpoint.id());
        return SafetyRules.gone(
                checkpoint.worldSize(),
                all,
                head.remembers(checkpoint) ? nodes.of(ShardCopies.holders(all)) : Map.of());
    }
}
