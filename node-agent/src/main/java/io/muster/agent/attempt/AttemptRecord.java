package io.muster.agent.attempt;

import io.muster.contract.agent.Assignment;
import io.muster.contract.agent.ExitCause;
import io.muster.contract.agent.MemberPhase;
import io.muster.contract.agent.Progress;
import io.muster.contract.agent.RankExit;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.node.CheckResult;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What the agent knows of an attempt, as it is kept on disk for the agent's next life.
 *
 * @param ready ranks that have said hello
 * @param stopping why its processes are being ended, or were; null if nobody ended them
 * @param damagedCheckpoint what the preflight found no whole copy of; null if none
 */
record AttemptRecord(
        Assignment assignment,
        MemberPhase phase,
        @Nullable Integer offeredMasterPort,
        List<CheckResult> checks,
        List<Rank> ranks,
        Set<Integer> ready,
        @Nullable Progress progress,
        @Nullable Map<String, Object> result,
        @Nullable ExitCause stopping,
        @Nullable CheckpointId damagedCheckpoint) {

    AttemptRecord {
        checks = List.copyOf(checks);
        ranks = List.copyOf(ranks);
        ready = new TreeSet<>(ready);
    }

    /**
     * One process that was started, or could not be.
     *
     * @param pid 0 if it could not be started
     * @param startTicks with the pid, names the process
     * @param memoryKillsBefore the kernel's count of kills for memory when it was started
     * @param machineLife the life of the machine in which it was started; null in records of the first version
     */
    record Rank(
            int rank,
            int localRank,
            long pid,
            long startTicks,
            Instant startedAt,
            long memoryKillsBefore,
            @Nullable String machineLife,
            @Nullable RankExit exit) {

        Rank ended(RankExit how) {
            return new Rank(rank, localRank, pid, startTicks, startedAt, memoryKillsBefore, machineLife, how);
        }
    }
}
