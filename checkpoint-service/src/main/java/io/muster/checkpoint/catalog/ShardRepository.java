package io.muster.checkpoint.catalog;

import io.muster.contract.checkpoint.ShardHolder;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Shards and their copies; written under the lock of the job's head. */
@Repository
class ShardRepository {

    private static final int BATCH = 500;

    private final JdbcClient jdbc;
    private final JdbcOperations batches;

    ShardRepository(JdbcClient jdbc, JdbcOperations batches) {
        this.jdbc = jdbc;
        this.batches = batches;
    }

    Map<Integer, ShardCopies> of(CheckpointId id) {
        Map<Integer, List<ShardCopies.Copy>> copies = copies(id);
        Map<Integer, ShardCopies> shards = new TreeMap<>();
        jdbc.sql("select * from checkpoint_shard where checkpoint_id = ?")
                .param(id.value())
                .query(row -> {
                    int rank = row.getInt("rank");
                    shards.put(
                            rank,
                            new ShardCopies(
                                    rank,
                                    row.getString("path"),
                                    row.getLong("size_bytes"),
                                    row.getString("sha256"),
                                    copies.getOrDefault(rank, List.of())));
                });
        return shards;
    }

    private Map<Integer, List<ShardCopies.Copy>> copies(CheckpointId id) {
        Map<Integer, List<ShardCopies.Copy>> copies = new TreeMap<>();
        jdbc.sql("select rank, node, memory from shard_copy where checkpoint_id = ? order by rank, node")
                .param(id.value())
                .query(row -> {
                    copies.computeIfAbsent(row.getInt("rank"), rank -> new ArrayList<>())
                            .add(new ShardCopies.Copy(new NodeId(row.getString("node")), row.getString("memory")));
                });
        return copies;
    }

    /** A place in the store, once told, stays: a late report that knows of none takes nothing away. */
    void put(CheckpointId id, NodeId from, List<StoredShard> shards, Instant now) {
        batches.batchUpdate("""
                insert into checkpoint_shard (checkpoint_id, rank, path, size_bytes, sha256, node, stored_at)
                values (?, ?, ?, ?, ?, ?, ?)
                on conflict (checkpoint_id, rank) do update
                set path = coalesce(checkpoint_shard.path, excluded.path)""", shards, BATCH, (row, shard) -> {
            row.setString(1, id.value());
            row.setInt(2, shard.rank());
            row.setString(3, shard.path());
            row.setLong(4, shard.sizeBytes());
            row.setString(5, shard.sha256());
            row.setString(6, from.value());
            row.setObject(7, now.atOffset(ZoneOffset.UTC));
        });
    }

    private record TakenCopy(int rank, NodeId node, String memory) {}

    /**
     * A copy keeps the life of the memory in which it was first told of: the same report, come late, does not bring back
     * what was lost with it.
     *
     * @param memories of the nodes that are known; a copy on another is not kept, and may be told of again
     */
    void putCopies(Checkpoint checkpoint, List<StoredShard> shards, Map<NodeId, String> memories, Instant now) {
        List<TakenCopy> taken = shards.stream()
                .flatMap(shard -> shard.holders().stream()
                        .map(ShardHolder::node)
                        .flatMap(node -> Optional.ofNullable(memories.get(node))
                                .map(memory -> new TakenCopy(shard.rank(), node, memory))
                                .stream()))
                .toList();
        batches.batchUpdate("""
                insert into shard_copy (job_id, checkpoint_id, rank, node, memory, told_at)
                values (?, ?, ?, ?, ?, ?) on conflict do nothing""", taken, BATCH, (row, copy) -> {
            row.setString(1, checkpoint.jobId().value());
            row.setString(2, checkpoint.id().value());
            row.setInt(3, copy.rank());
            row.setString(4, copy.node().value());
            row.setString(5, copy.memory());
            row.setObject(6, now.atOffset(ZoneOffset.UTC));
        });
    }

    /** Agents keep the newest commits in memory, and what is not committed yet; nothing else. */
    void forgetCopies(JobId job, long upToCommit) {
        jdbc.sql("""
                        delete from shard_copy where job_id = :job and checkpoint_id not in (
                            select id from checkpoint where job_id = :job and commit_version > :upTo
                            union all
                            select id from checkpoint where job_id = :job and phase in ('RESERVED', 'LOCAL'))""").param("job", job.value()).param("upTo", upToCommit).update();
    }

    /** The nodes of each checkpoint that were told to hold copies, with the lives of their memories. */
    Map<CheckpointId, List<ShardCopies.Copy>> holders(Collection<CheckpointId> ids) {
        Map<CheckpointId, List<ShardCopies.Copy>> holders = new TreeMap<>();
        jdbc.sql("""
                        select distinct checkpoint_id, node, memory from shard_copy
                        where checkpoint_id = any(:ids) order by checkpoint_id, node""")
                .param("ids", ids.stream().map(CheckpointId::value).toArray(String[]::new))
                .query(row -> {
                    holders.computeIfAbsent(
                                    new CheckpointId(row.getString("checkpoint_id")), checkpoint -> new ArrayList<>())
                            .add(new ShardCopies.Copy(new NodeId(row.getString("node")), row.getString("memory")));
                });
        return holders;
    }
}
