package io.muster.contract.checkpoint;

import io.muster.contract.id.JobId;
import java.util.List;

/** Where a member's shards of a checkpoint lie by now, whole: in agents' memory, in the store, or in both. Sent again when more copies are safe. */
public record ReportShards(JobId jobId, int attempt, long step, List<StoredShard> shards) {

    public ReportShards {
        shards = List.copyOf(shards);
    }
}
