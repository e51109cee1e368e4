package io.muster.checkpoint.catalog;

import io.muster.contract.checkpoint.ShardHolder;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.simulation.Database;
import io.muster.simulation.Table;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.simple.JdbcClient;

/** {@link ShardRepository} without SQL. */
@SuppressWarnings("NullAway")
final class ShardTables extends ShardRepository {

    private final Table<CheckpointId, Map<Integer, ShardCopies>> rows;
    private final Catalogue catalogue;

    ShardTables(Database database, Catalogue catalogue) {
        super((JdbcClient) null, (JdbcOperations) null);
        this.rows = new Table<>(database);
        this.catalogue = catalogue;
    }

    @Override
    Map<Integer, ShardCopies> of(CheckpointId id) {
        return rows.find(id).orElseGet(TreeMap::new);
    }

    @Override
    void put(CheckpointId id, NodeId from, List<StoredShard> shards, Instant now) {
        Map<Integer, ShardCopies> all = new TreeMap<>(of(id));
        for (StoredShard shard : shards) {
            ShardCopies known = all.get(shard.rank());
            all.put(
                    shard.rank(),
                    known == null
                            ? new ShardCopies(shard.rank(), shard.path(), shard.sizeBytes(), shard.sha256(), List.of())
                            : new ShardCopies(
                                    known.rank(),
                                    Objects.requireNonNullElse(known.path(), shard.path()),
                                    known.sizeBytes(),
                                    known.sha256(),
                                    known.copies()));
        }
        rows.put(id, all);
    }

    @Override
    void putCopies(Checkpoint checkpoint, List<StoredShard> shards, Map<NodeId, String> memories, Instant now) {
        Map<Integer, ShardCopies> all = new TreeMap<>(of(checkpoint.id()));
        for (StoredShard shard : shards) {
            ShardCopies known = all.get(shard.rank());
            List<ShardCopies.Copy> copies = new ArrayList<>(known.copies());
            for (ShardHolder holder : shard.holders()) {
                boolean told = copies.stream().anyMatch(copy -> copy.node().equals(holder.node()));
                String memory = memories.get(holder.node());
                if (!told && memory != null) {
                    copies.add(new ShardCopies.Copy(holder.node(), memory));
                }
            }
            all.put(
                    shard.rank(),
                    new ShardCopies(known.rank(), known.path(), known.sizeBytes(), known.sha256(), copies));
        }
        rows.put(checkpoint.id(), all);
    }

    @Override
    void forgetCopies(JobId job, long upToCommit) {
        for (CheckpointId id : List.copyOf(rows.rows().keySet())) {
            Checkpoint checkpoint = catalogue.checkpoints.get(id);
            boolean kept = checkpoint.open()
                    || (checkpoint.commitVersion() != null && checkpoint.commitVersion() > upToCommit);
            if (checkpoint.jobId().equals(job) && !kept) {
                Map<Integer, ShardCopies> without = new TreeMap<>();
                of(id).forEach((rank, shard) -> without.put(
                        rank, new ShardCopies(rank, shard.path(), shard.sizeBytes(), shard.sha256(), List.of())));
                rows.put(id, without);
            }
        }
    }

    @Override
    Map<CheckpointId, List<ShardCopies.Copy>> holders(Collection<CheckpointId> ids) {
        throw new UnsupportedOperationException("for people only");
    }
}
