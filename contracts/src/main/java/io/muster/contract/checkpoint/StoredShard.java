package io.muster.contract.checkpoint;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One rank's bytes and where whole copies of them lie.
 *
 * @param path below the store's root; null while no copy is in the store
 * @param sha256 lower-case hex over the whole shard
 * @param holders nodes whose agents hold a sealed copy in memory: the rank's own and its peer's
 */
public record StoredShard(int rank, @Nullable String path, long sizeBytes, String sha256, List<ShardHolder> holders) {
    public StoredShard {
        holders = holders == null ? List.of() : List.copyOf(holders);
    }
}
