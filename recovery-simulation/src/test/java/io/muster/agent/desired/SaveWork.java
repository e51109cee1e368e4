package io.muster.agent.desired;

import io.muster.agent.desired.Disk.Held;
import io.muster.agent.desired.Disk.Save;
import io.muster.checkpoint.catalog.SimulatedCheckpointService.Reply;
import io.muster.contract.agent.CheckpointPlan;
import io.muster.contract.agent.GangTask;
import io.muster.contract.checkpoint.CheckpointPhase;
import io.muster.contract.checkpoint.ReportShards;
import io.muster.contract.checkpoint.ReserveAnswer;
import io.muster.contract.checkpoint.ReserveCheckpoint;
import io.muster.contract.checkpoint.ShardsAnswer;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.CheckpointId;
import io.muster.simulation.Kernel;
import io.muster.simulation.Proc;
import io.muster.simulation.World;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Brings staged shards to a commit, step by step, as {@code CheckpointPath} does: reserve, store, report until it is over. */
final class SaveWork {

    private static final int SLOTS = 2;

    private final SimulatedAgent agent;
    private final World world;
    private final Kernel kernel;
    private final Services services;

    SaveWork(SimulatedAgent agent, World world, Services services) {
        this.agent = agent;
        this.world = world;
        this.kernel = world.kernel();
        this.services = services;
    }

    void stage(Held held, Proc proc, long step) {
        GangTask task = held.assignment.task();
        if (held.fenced || task == null || task.checkpoint() == null) {
            return;
        }
        long open = held.saves.values().stream()
                .filter(save -> !save.ended && save.stored.size() < save.ranksHere)
                .count();
        Save known = held.saves.get(step);
        if (known == null && open >= SLOTS) {
            return;
        }
        Save save = held.saves.computeIfAbsent(step, any -> new Save(task.processesPerNode()));
        save.staged.put(proc.rank, true);
        held.saves.headMap(step).values().stream()
                .filter(older -> !older.staged.containsKey(proc.rank))
                .forEach(older -> older.ended = true);
        work(held, task, step, save);
    }

    void resume(Held held) {
        GangTask task = held.assignment.task();
        held.saves.forEach((step, save) -> {
            save.working = false;
            if (task != null) {
                work(held, task, step, save);
            }
        });
    }

    /** No rank will stage anything any more. */
    void seal(Held held) {
        held.saves.values().stream().filter(save -> !save.whole()).forEach(save -> save.ended = true);
    }

    boolean settled(Held held) {
        return held.saves.values().stream().allMatch(save -> save.ended || save.stored.size() == save.ranksHere);
    }

    private void work(Held held, GangTask task, long step, Save save) {
        if (save.ended || save.working || held.fenced || !save.whole()) {
            return;
        }
        save.working = true;
        CheckpointId id = save.reserved;
        if (id == null) {
            reserve(held, task, step, save);
        } else if (save.stored.size() < save.ranksHere) {
            store(held, task, step, save, id);
        } else {
            report(held, task, step, save, id);
        }
    }

    private void again(Held held, GangTask task, long step, Save save, int low, int high) {
        agent.life().after(kernel.chance().between(low, high), () -> {
            save.working = false;
            if (agent.disk().attempts.get(held.key) == held) {
                work(held, task, step, save);
            }
        });
    }

    private void reserve(Held held, GangTask task, long step, Save save) {
        services.reserve(new ReserveCheckpoint(held.key.job(), held.key.attempt(), step, task.worldSize()), reply -> {
            ReserveAnswer answer = body(held, save, reply);
            if (answer != null && answer.checkpointId() != null) {
                save.reserved = answer.checkpointId();
                again(held, task, step, save, 1, 20);
            } else if (answer != null && !answer.retryable()) {
                save.ended = true;
            } else {
                again(held, task, step, save, 200, 3000);
            }
        });
    }

    private void store(Held held, GangTask task, long step, Save save, CheckpointId id) {
        CheckpointPlan plan = task.checkpoint();
        int rank = save.staged.keySet().stream()
                .filter(one -> !save.stored.containsKey(one))
                .findFirst()
                .orElseThrow();
        agent.life().after(kernel.chance().between(20, 900), () -> {
            if (!world.storeAway() && plan != null) {
                String path = "checkpoints/" + plan.folder() + "/" + task.tenant() + "/" + held.key.job() + "/" + id
                        + "/rank-" + rank + ".shard";
                StoredShard shard = AttemptWork.shard(path, held.key, step, rank);
                save.stored.put(rank, shard);
            }
            again(held, task, step, save, 1, world.storeAway() ? 2000 : 20);
        });
    }

    private void report(Held held, GangTask task, long step, Save save, CheckpointId id) {
        ReportShards report =
                new ReportShards(held.key.job(), held.key.attempt(), step, List.copyOf(save.stored.values()));
        services.shards(id, report, reply -> {
            ShardsAnswer answer = body(held, save, reply);
            if (answer != null && answer.phase() == CheckpointPhase.COMMITTED) {
                save.ended = true;
            } else if (answer != null && answer.phase() == CheckpointPhase.ABANDONED) {
                save.ended = true;
            } else {
                again(held, task, step, save, 300, 2500);
            }
        });
    }

    private static <A> @Nullable A body(Held held, Save save, @Nullable Reply<A> reply) {
        if (reply == null) {
            return null;
        }
        return switch (reply) {
            case Reply.Ok<A>(A body) -> body;
            case Reply.Later<A> later -> null;
            case Reply.Never<A> never -> {
                save.ended = true;
                yield null;
            }
            case Reply.Fenced<A> fenced -> {
                held.fenced = true;
                held.saves.values().forEach(one -> one.ended = true);
                yield null;
            }
        };
    }
}
