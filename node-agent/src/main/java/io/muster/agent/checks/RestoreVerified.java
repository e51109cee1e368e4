package io.muster.agent.checks;

import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.checkpoint.StoredShard;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Every shard that this node's ranks are to restore must be in the store, whole and unchanged. */
record RestoreVerified(RestoreDecision restore, int firstRank, int ranks, ShardCheck shards) implements Check {

    /** What is wrong with a stored shard; empty if nothing. */
    interface ShardCheck {
        Optional<String> damage(StoredShard shard) throws IOException, InterruptedException;
    }

    @Override
    public String name() {
        return "restore_verified";
    }

    @Override
    public Duration limit() {
        long bytes = mine().stream().mapToLong(StoredShard::sizeBytes).sum();
        return Duration.ofSeconds(10 + bytes / (50L << 20));
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
        long bytes = 0;
        for (StoredShard shard : mine) {
            Optional<String> damage = shards.damage(shard);
            if (damage.isPresent()) {
                return Finding.fail(
                        "checkpoint " + restore.checkpointId() + " rank " + shard.rank() + ": " + damage.get());
            }
            bytes += shard.sizeBytes();
        }
        return Finding.pass(ranks + " shards of checkpoint " + restore.checkpointId() + " at step " + restore.step()
                + " verified, " + bytes + " bytes");
    }
}
