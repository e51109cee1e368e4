package io.muster.contract.checkpoint;

import io.muster.contract.id.JobId;
import java.util.List;

/** A member's shards of a checkpoint are in the store, flushed and read back. */
public record ReportShards(JobId jobId, int attempt, long step, List<StoredShard> shards) {

    public ReportShards {
        shards = List.copyOf(shards);
    }
}
