package io.muster.contract.agent;

import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import io.muster.contract.node.CheckResult;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An attempt on this node as it is now.
 *
 * @param offeredMasterPort a free port on rank 0's node, chosen in preflight; null on the others
 * @param allAlive since when every process of this node has been alive without a break; null if not all are
 * @param result what rank 0 handed over as the job's result (at most 16 KiB of JSON)
 * @param damagedCheckpoint the checkpoint to restore of which this node found no whole copy of a shard anywhere; null if
 *     none. A copy that cannot be reached is not damaged
 */
public record AttemptReport(
        JobId jobId,
        int attempt,
        MemberPhase phase,
        @Nullable Integer offeredMasterPort,
        @Nullable Instant allAlive,
        List<CheckResult> checks,
        List<RankReport> ranks,
        @Nullable Progress progress,
        @Nullable Map<String, Object> result,
        @Nullable CheckpointId damagedCheckpoint) {

    public AttemptReport {
        checks = List.copyOf(checks);
        ranks = List.copyOf(ranks);
    }
}
