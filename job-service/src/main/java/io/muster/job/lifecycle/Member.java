package io.muster.job.lifecycle;

import io.muster.contract.agent.AttemptReport;
import io.muster.contract.agent.MemberPhase;
import io.muster.contract.agent.RankReport;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.NodeId;
import io.muster.contract.node.CheckResult;
import io.muster.contract.node.CheckStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One node of an attempt, as its agent has reported it. Reports may be doubled, late or out of order, so everything here
 * only ever grows: the phase never goes back, and a rank's exit stays unless a stronger cause of it is told later.
 *
 * @param phase null until the agent has reported
 * @param door where its agent is reached
 * @param gone the agent has confirmed that no process is left
 * @param lost the node is under an EVICT hold: its GPUs are free without the agent's word
 * @param aliveLongEnough all processes have lived two seconds without a break
 * @param damaged the checkpoint of which this node found no whole copy of a shard; null if none
 */
public record Member(
        int nodeRank,
        NodeId node,
        List<Integer> gpus,
        Door door,
        @Nullable MemberPhase phase,
        boolean gone,
        boolean lost,
        boolean aliveLongEnough,
        @Nullable Integer offeredMasterPort,
        Evidence evidence,
        @Nullable CheckpointId damaged,
        List<CheckResult> checks,
        List<RankReport> ranks) {

    private static final String RESTORE_CHECK = "restore_verified";

    /**
     * @param address null until the attempt's tasks are given out
     * @param rack where its memory fails together with that of others; empty until then
     */
    public record Door(@Nullable String address, int port, String rack) {

        static final Door UNKNOWN = new Door(null, 0, "");
    }

    /**
     * What is known of how this member fared after the attempt broke.
     *
     * @param askedRevision the revision with which its agent was asked; null if it was not
     * @param heard nothing more is to be learnt of it: its agent has taken that revision in, or its lease is lost
     * @param inQuestion the node may be the cause, and no hold says so: health-service is asked
     */
    public record Evidence(@Nullable Long askedRevision, boolean heard, boolean inQuestion) {

        static final Evidence NONE = new Evidence(null, false, false);

        Evidence asked(long revision) {
            return new Evidence(revision, heard, inQuestion);
        }

        boolean takenIn(long revision) {
            return !heard && askedRevision != null && revision >= askedRevision;
        }
    }

    static final Duration LIFE_PROOF = Duration.ofSeconds(2);

    public Member {
        gpus = List.copyOf(gpus);
        checks = List.copyOf(checks);
        ranks = List.copyOf(ranks);
    }

    static Member placed(int nodeRank, NodeId node, List<Integer> gpus) {
        return new Member(
                nodeRank,
                node,
                gpus,
                Door.UNKNOWN,
                null,
                false,
                false,
                false,
                null,
                Evidence.NONE,
                null,
                List.of(),
                List.of());
    }

    public @Nullable String address() {
        return door.address;
    }

    /** Its GPUs may be given to someone else. */
    boolean released() {
        return gone || lost;
    }

    boolean failedPreflight() {
        return phase == MemberPhase.PREFLIGHT_FAILED;
    }

    /** The one thing that kept it from passing: it could not reach a copy of what it restores, so nothing is known of it. */
    Optional<CheckResult> unreachedCopy() {
        List<CheckResult> open = checks.stream().filter(check -> !check.lets()).toList();
        return open.size() == 1
                        && open.getFirst().check().equals(RESTORE_CHECK)
                        && open.getFirst().status() == CheckStatus.UNKNOWN
                ? Optional.of(open.getFirst())
                : Optional.empty();
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

    Member at(Door newDoor) {
        return with(newDoor, phase, gone, lost, evidence);
    }

    Member markedLost() {
        return with(door, phase, gone, true, evidence);
    }

    Member markedGone() {
        return with(door, MemberPhase.GONE, true, lost, evidence);
    }

    Member with(Evidence newEvidence) {
        return with(door, phase, gone, lost, newEvidence);
    }

    private Member with(
            Door newDoor, @Nullable MemberPhase newPhase, boolean isGone, boolean isLost, Evidence newEvidence) {
        return new Member(
                nodeRank,
                node,
                gpus,
                newDoor,
                newPhase,
                isGone,
                isLost,
                aliveLongEnough,
                offeredMasterPort,
                newEvidence,
                damaged,
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
                door,
                newest,
                gone || report.phase() == MemberPhase.GONE,
                lost,
                aliveLongEnough || lives,
                offeredMasterPort != null ? offeredMasterPort : report.offeredMasterPort(),
                evidence,
                damaged != null ? damaged : report.damagedCheckpoint(),
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
                ExitVerdict.stronger(known.exit(), reported.exit()));
    }
}
