package io.muster.checkpoint.catalog;

import io.muster.contract.checkpoint.ShardsAnswer;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.problem.Violation;
import java.util.List;

/** What became of a member's report of shards. */
sealed interface ShardReport {

    record Taken(ShardsAnswer answer) implements ShardReport {}

    /** A later attempt has begun; nothing changed. */
    record Fenced(String message) implements ShardReport {}

    record Unknown(CheckpointId id) implements ShardReport {}

    /** The rank had stored other bytes before; nothing changed. */
    record Conflict(CheckpointId id, StoredShard known, StoredShard told) implements ShardReport {}

    /** The node does not run the rank, as far as has been heard; nothing changed. */
    record Elsewhere(ReportScope scope, int rank) implements ShardReport {}

    record Malformed(List<Violation> violations) implements ShardReport {}
}
