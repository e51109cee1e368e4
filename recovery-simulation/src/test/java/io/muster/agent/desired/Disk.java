package io.muster.agent.desired;

import io.muster.agent.attempt.AttemptKey;
import io.muster.contract.agent.Assignment;
import io.muster.contract.agent.ExitCause;
import io.muster.contract.agent.MemberPhase;
import io.muster.contract.agent.RankExit;
import io.muster.contract.checkpoint.StoredShard;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.node.CheckResult;
import io.muster.simulation.Proc;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What an agent keeps in its folder; each step is on disk before it is told. */
final class Disk {

    boolean credential = true;
    long oath = -1;
    final TreeMap<AttemptKey, Held> attempts = new TreeMap<>();

    /** An attempt on this node. */
    static final class Held {
        final AttemptKey key;
        Assignment assignment;
        MemberPhase phase = MemberPhase.RECEIVED;

        @Nullable
        Integer port;

        List<CheckResult> checks = List.of();
        final TreeMap<Integer, Rank> ranks = new TreeMap<>();

        @Nullable
        ExitCause stopping;

        final TreeMap<Long, Save> saves = new TreeMap<>();

        @Nullable
        CheckpointId damaged;

        boolean fenced;
        boolean examining;

        Held(Assignment assignment) {
            this.key = AttemptKey.of(assignment);
            this.assignment = assignment;
        }
    }

    /** @param proc null if it was never started, or nothing is known of it any more */
    record Rank(
            int rank,
            int local,
            @Nullable Proc proc,
            Instant startedAt,
            @Nullable RankExit exit) {}

    /** A checkpoint that is being brought to its end. */
    static final class Save {
        final int ranksHere;
        final Map<Integer, Boolean> staged = new TreeMap<>();
        final Map<Integer, StoredShard> stored = new TreeMap<>();

        @Nullable
        CheckpointId reserved;

        boolean ended;
        boolean working;

        Save(int ranksHere) {
            this.ranksHere = ranksHere;
        }

        boolean whole() {
            return staged.size() == ranksHere;
        }
    }
}
