package io.muster.agent.memory;

import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * What of a job stays in memory. The newest two committed checkpoints, in commit order along the lineage, stay; committed
 * ones below them go unless the store still needs them, and so does what was never committed and is older than the newest commit. When room is needed, jobs
 * without an attempt here go first, then older committed checkpoints; the newest, what is on its way and what the store
 * still needs from here never.
 */
final class Retention {

    private static final int COMMITTED_KEPT = 2;
    private static final Comparator<HeldShard> LINEAGE =
            Comparator.comparingInt(HeldShard::attempt).thenComparingLong(HeldShard::step);

    private Retention() {}

    /** Shards of one job that are of no use any more. */
    static List<HeldShard> overtaken(Collection<HeldShard> ofOneJob, Predicate<HeldShard> pinned) {
        List<CheckpointId> order = commitOrder(ofOneJob);
        if (order.isEmpty()) {
            return List.of();
        }
        Set<CheckpointId> kept = new HashSet<>(order.subList(0, Math.min(COMMITTED_KEPT, order.size())));
        HeldShard newest = newestCommitted(ofOneJob, order);
        return ofOneJob.stream()
                .filter(shard -> shard.checkpoint() == null
                        ? LINEAGE.compare(shard, newest) < 0
                        : !kept.contains(shard.checkpoint()) && !pinned.test(shard))
                .toList();
    }

    /** What may be given up for others, the most dispensable first. */
    static List<HeldShard> dispensable(Collection<HeldShard> all, Set<JobId> living, Predicate<HeldShard> pinned) {
        Map<JobId, List<HeldShard>> jobs = new TreeMap<>();
        all.forEach(shard ->
                jobs.computeIfAbsent(shard.job(), job -> new ArrayList<>()).add(shard));
        List<HeldShard> order = new ArrayList<>();
        jobs.forEach((job, shards) -> {
            if (!living.contains(job)) {
                order.addAll(shards.stream().sorted(LINEAGE).toList());
            }
        });
        jobs.forEach((job, shards) -> {
            if (living.contains(job)) {
                List<CheckpointId> commits = commitOrder(shards);
                shards.stream()
                        .filter(shard -> shard.checkpoint() != null
                                && !shard.checkpoint().equals(commits.getFirst())
                                && !pinned.test(shard))
                        .sorted(LINEAGE)
                        .forEach(order::add);
            }
        });
        return order;
    }

    private static List<CheckpointId> commitOrder(Collection<HeldShard> ofOneJob) {
        List<CheckpointId> order = new ArrayList<>();
        ofOneJob.stream().sorted(LINEAGE.reversed()).forEach(shard -> {
            CheckpointId id = shard.checkpoint();
            if (id != null && !order.contains(id)) {
                order.add(id);
            }
        });
        return order;
    }

    private static HeldShard newestCommitted(Collection<HeldShard> ofOneJob, List<CheckpointId> order) {
        return ofOneJob.stream()
                .filter(shard -> order.getFirst().equals(shard.checkpoint()))
                .max(LINEAGE)
                .orElseThrow();
    }
}
