package io.muster.agent.restore;

import io.muster.agent.checkpoint.ShardStore;
import io.muster.agent.disk.Sha256;
import io.muster.agent.memory.HeldShard;
import io.muster.agent.memory.ShardMemory;
import io.muster.agent.memory.ShardMemory.Admission;
import io.muster.agent.peer.PeerCalls;
import io.muster.contract.agent.Assignment;
import io.muster.contract.agent.GangTask;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.checkpoint.ShardHolder;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.NodeId;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds whole copies of the shards that an attempt restores: this node's memory first, then the memory of each holder,
 * then the store; what comes from elsewhere is taken into this node's memory, where there is room, and verified there. A
 * copy that is not there or is not the shard is passed over. Only if every place was reached the shard counts as damaged;
 * as long as one place cannot be reached it may still be whole there.
 */
public final class NearestCopy {

    private static final Logger LOG = LoggerFactory.getLogger(NearestCopy.class);

    private final Means means;
    private final Assignment assignment;
    private final RestoreDecision restore;
    private final PeerCalls.Party party;

    /** Shared by all attempts of the agent. */
    public record Means(NodeId self, ShardMemory memory, PeerCalls peers, ShardStore store) {}

    public NearestCopy(Assignment assignment, GangTask task, Means means) {
        this.assignment = assignment;
        this.means = means;
        this.restore = task.restore();
        this.party = new PeerCalls.Party(assignment.jobId(), assignment.attempt(), task.peerKey());
    }

    /** What is restored is committed, whatever this node knew of it, and what earlier attempts left open never will be. */
    public void prepare() {
        CheckpointId checkpoint = restore.checkpointId();
        if (restore.verdict() == RestoreVerdict.RESTORED && checkpoint != null) {
            Set<String> hashes =
                    restore.shards().stream().map(StoredShard::sha256).collect(Collectors.toSet());
            means.memory().committed(assignment.jobId(), hashes, checkpoint);
        }
        means.memory().fence(assignment.jobId(), assignment.attempt());
    }

    public Search find(StoredShard shard) {
        List<String> useless = new ArrayList<>();
        List<String> away = new ArrayList<>();
        if (inMemory(shard, useless) instanceof Search.Whole whole) {
            return whole;
        }
        for (ShardHolder holder : shard.holders()) {
            if (!holder.node().equals(means.self())
                    && atPeer(shard, holder, useless, away) instanceof Search.Whole whole) {
                return whole;
            }
        }
        if (shard.path() != null && inStore(shard, useless, away) instanceof Search.Whole whole) {
            return whole;
        }
        String known = String.join("; ", useless);
        if (away.isEmpty()) {
            return new Search.Damaged(known.isEmpty() ? "no copy of it is known" : known);
        }
        return new Search.Unreachable(String.join("; ", away) + (known.isEmpty() ? "" : "; elsewhere: " + known));
    }

    private Search inMemory(StoredShard shard, List<String> useless) {
        HeldShard held = means.memory()
                .find(assignment.jobId(), shard.rank(), shard.sizeBytes(), shard.sha256())
                .orElse(null);
        if (held == null) {
            return passed(useless, "not in memory here");
        }
        return means.memory()
                .damage(held)
                .map(damage -> {
                    LOG.error("shard of rank {} of {} in memory: {}", held.rank(), held.job(), damage);
                    means.memory().drop(held);
                    return passed(useless, damage);
                })
                .orElseGet(() -> whole("memory", held));
    }

    private Search whole(String where, HeldShard held) {
        return new Search.Whole(where, () -> means.memory().open(held));
    }

    private static Search passed(List<String> reasons, String why) {
        reasons.add(why);
        return new Search.Damaged(why);
    }

    private Search atPeer(StoredShard shard, ShardHolder holder, List<String> useless, List<String> away) {
        CheckpointId checkpoint = restore.checkpointId();
        if (checkpoint == null) {
            return passed(useless, "no checkpoint is named");
        }
        return switch (means.peers().fetch(party, holder, shard, restore.step(), checkpoint)) {
            case PeerCalls.Fetched.Whole fetched -> whole(holder.node().value(), fetched.held());
            case PeerCalls.Fetched.Useless none -> passed(useless, holder.node() + ": " + none.why());
            case PeerCalls.Fetched.Unreachable none -> passed(away, none.why());
        };
    }

    private Search inStore(StoredShard shard, List<String> useless, List<String> away) {
        HeldShard wanted = HeldShard.fetched(
                assignment.jobId(), assignment.attempt(), shard, restore.step(), restore.checkpointId());
        return means.memory().admit(wanted) instanceof Admission.Granted granted
                ? intoMemory(shard, granted.place(), useless, away)
                : judged(means.store().look(shard), shard, useless, away);
    }

    private Search intoMemory(StoredShard shard, ShardMemory.Place place, List<String> useless, List<String> away) {
        try (FileChannel from = means.store().open(shard)) {
            if (from.size() != shard.sizeBytes()) {
                return passed(
                        useless,
                        shard.path() + " has " + from.size() + " bytes, " + shard.sizeBytes() + " were stored");
            }
            HeldShard held = place.fill(from);
            if (held.sha256().equals(shard.sha256())) {
                return whole("store", held);
            }
            means.memory().drop(held);
            return passed(useless, shard.path() + " has hash " + held.sha256() + ", " + shard.sha256() + " was stored");
        } catch (Sha256.NotWritten memoryIsFull) {
            return judged(means.store().look(shard), shard, useless, away);
        } catch (IOException broken) {
            return judged(means.store().unreadable(shard, broken), shard, useless, away);
        } finally {
            place.cancel();
        }
    }

    private Search judged(ShardStore.Look look, StoredShard shard, List<String> useless, List<String> away) {
        return switch (look) {
            case ShardStore.Look.Whole whole ->
                new Search.Whole("store", () -> means.store().open(shard));
            case ShardStore.Look.Damaged damaged -> passed(useless, damaged.why());
            case ShardStore.Look.Unreachable none -> passed(away, none.why());
        };
    }
}
