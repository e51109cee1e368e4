package io.muster.job.lifecycle;

import io.muster.contract.agent.AttemptReport;
import io.muster.contract.agent.MemberPhase;
import io.muster.contract.agent.RankReport;
import io.muster.contract.id.NodeId;
import io.muster.contract.node.CheckResult;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One node of an attempt, as its agent has reported it. Reports may be doubled, late or out of order, so everything here
 * only ever grows: the phase never goes back, and a rank's exit stays.
 *
 * @param phase null until the agent has reported
 * @param address null until the attempt's tasks are given out
 * @param gone the agent has confirmed that no process is left
 * @param lost the node is under an EVICT hold: its GPUs are free without the agent's word
 * @param aliveLongEnough all processes have lived two seconds without a break
 */
public record Member(
        int nodeRank,
        NodeId node,
        List<Integer> gpus,
        @Nullable String address,
        int port,
        @Nullable MemberPhase phase,
        boolean gone,
        boolean lost,
        boolean aliveLongEnough,
        @Nullable Integer offeredMasterPort,
        List<CheckResult> checks,
        List<RankReport> ranks) {

    static final Duration LIFE_PROOF = Duration.ofSeconds(2);

    public Member {
        gpus = List.copyOf(gpus);
        checks = List.copyOf(checks);
        ranks = List.copyOf(ranks);
    }

    static Member placed(int nodeRank, NodeId node, List<Integer> gpus) {
        return new Member(nodeRank, node, gpus, null, 0, null, false, false, false, null, List.of(), List.of());
    }

    /** Its GPUs may be given to someone else. */
    boolean released() {
        return gone || lost;
    }

    boolean failedPreflight() {
        return phase == MemberPhase.PREFLIGHT_FAILED;
    }

    boolean passedPreflight() {
        return phase != null && phase.compareTo(MemberPhase.PREFLIGHT_PASSED) >= 0 && !failedPreflight();
    }

    /** Every process that it should have has ended. */
    boolean allExited(int processes) {
        return ranks.size() >= processes && ranks.stream().allMatch(rank -> rank.exit() != null);
    }

    boolean ready(int processes, boolean client) {
        return client ? ranks.size() >= processes && ranks.stream().allMatch(RankReport::clientReady) : aliveLongEnough;
    }

    Member at(String newAddress, int newPort) {
        return new Member(
                nodeRank,
                node,
                gpus,
                newAddress,
                newPort,
                phase,
                gone,
                lost,
                aliveLongEnough,
                offeredMasterPort,
                checks,
                ranks);
    }

    Member markedLost() {
        return new Member(
                nodeRank,
                node,
                gpus,
                address,
                port,
                phase,
                gone,
                true,
                aliveLongEnough,
                offeredMasterPort,
                checks,
                ranks);
    }

    Member markedGone() {
        return new Member(
                nodeRank,
                node,
                gpus,
                address,
                port,
                MemberPhase.GONE,
                true,
                lost,
                aliveLongEnough,
                offeredMasterPort,
                checks,
                ranks);
    }

    Member with(AttemptReport report, Instant receivedAt) {
        MemberPhase newest = phase == null || report.phase().compareTo(phase) > 0 ? report.phase() : phase;
        boolean lives =
                report.allAlive() != null && !report.allAlive().plus(LIFE_PROOF).isAfter(receivedAt);
        return new Member(
                nodeRank,
                node,
                gpus,
                address,
                port,
                newest,
                gone || report.phase() == MemberPhase.GONE,
                lost,
                aliveLongEnough || lives,
                offeredMasterPort != null ? offeredMasterPort : report.offeredMasterPort(),
                report.checks().isEmpty() ? checks : report.checks(),
                merged(report.ranks()));
    }

    private List<RankReport> merged(List<RankReport> reported) {
        Map<Integer, RankReport> byRank = new TreeMap<>();
        ranks.forEach(rank -> byRank.put(rank.rank(), rank));
        reported.forEach(rank -> byRank.merge(rank.rank(), rank, Member::grown));
        return new ArrayList<>(byRank.values());
    }

    private static RankReport grown(RankReport known, RankReport reported) {
        return new RankReport(
                reported.rank(),
                reported.localRank(),
                reported.pid(),
                reported.startedAt(),
                known.clientReady() || reported.clientReady(),
                known.exit() != null ? known.exit() : reported.exit());
    }
}
