package io.muster.agent.checks;

import io.muster.agent.restore.Search;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.CheckpointId;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Of every shard that this node's ranks are to restore a copy must be found, whole and unchanged. One that surely has
 * none makes the checkpoint damaged, and that is said apart from the result. A copy that cannot be reached is looked for
 * again while there is time; then the check is UNKNOWN, and nothing is called damaged.
 */
final class RestoreVerified implements Check {

    private static final Duration BETWEEN_TRIES = Duration.ofMillis(500);

    private final RestoreDecision restore;
    private final int firstRank;
    private final int ranks;
    private final Duration patience;
    private final ShardSearch shards;
    private volatile @Nullable CheckpointId damaged;

    /** Looks for a whole copy. */
    interface ShardSearch {
        Search find(StoredShard shard) throws IOException, InterruptedException;
    }

    /** @param patience how long to go on looking for what cannot be reached */
    RestoreVerified(RestoreDecision restore, int firstRank, int ranks, Duration patience, ShardSearch shards) {
        this.restore = restore;
        this.firstRank = firstRank;
        this.ranks = ranks;
        this.patience = patience;
        this.shards = shards;
    }

    @Override
    public String name() {
        return "restore_verified";
    }

    @Override
    public Duration limit() {
        long bytes = mine().stream().mapToLong(StoredShard::sizeBytes).sum();
        return patience.plusSeconds(10 + bytes / (50L << 20));
    }

    /** The checkpoint of which a shard has no whole copy anywhere. */
    @Nullable
    CheckpointId damaged() {
        return damaged;
    }

    private List<StoredShard> mine() {
        return restore.shards().stream()
                .filter(shard -> shard.rank() >= firstRank && shard.rank() < firstRank + ranks)
                .toList();
    }

    @Override
    public Finding look() throws IOException, InterruptedException {
        if (restore.verdict() != RestoreVerdict.RESTORED) {
            return restore.verdict() == RestoreVerdict.FRESH
                    ? Finding.skipped("fresh start: " + restore.message())
                    : Finding.fail("the restore was refused: " + restore.message());
        }
        List<StoredShard> mine = mine();
        if (mine.size() != ranks) {
            return Finding.fail("checkpoint " + restore.checkpointId() + " has " + mine.size() + " shards for ranks "
                    + firstRank + " to " + (firstRank + ranks - 1) + ", " + ranks + " needed");
        }
        return search(mine);
    }

    private Finding search(List<StoredShard> mine) throws IOException, InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        Set<String> found = new TreeSet<>();
        List<StoredShard> left = mine;
        while (true) {
            List<StoredShard> away = new ArrayList<>();
            String why = "";
            for (StoredShard shard : left) {
                switch (shards.find(shard)) {
                    case Search.Whole whole -> found.add(whole.where());
                    case Search.Damaged none -> {
                        damaged = restore.checkpointId();
                        return Finding.fail(
                                "checkpoint " + restore.checkpointId() + " rank " + shard.rank() + ": " + none.why());
                    }
                    case Search.Unreachable none -> {
                        away.add(shard);
                        why = "rank " + shard.rank() + ": " + none.why();
                    }
                }
            }
            if (away.isEmpty()) {
                return whole(mine, found);
            }
            if (System.nanoTime() - end >= 0) {
                return Finding.unknown("checkpoint " + restore.checkpointId() + " cannot be reached for " + away.size()
                        + " of " + ranks + " ranks here, looked for " + patience.toSeconds() + " s; " + why);
            }
            left = away;
            Thread.sleep(BETWEEN_TRIES);
        }
    }

    private Finding whole(List<StoredShard> mine, Set<String> found) {
        long bytes = mine.stream().mapToLong(StoredShard::sizeBytes).sum();
        String places = String.join(", ", found);
        return Finding.pass(ranks + " shards of checkpoint " + restore.checkpointId() + " at step " + restore.step()
                + " verified, " + bytes + " bytes, from " + places);
    }
}
