package io.muster.job.lifecycle;

import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.id.NodeId;
import io.muster.contract.job.DomainType;
import io.muster.contract.job.JobPhase;
import io.muster.contract.node.PreflightVerdict;
import io.muster.contract.placement.PlacedMember;
import io.muster.contract.placement.PlacementState;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * From a placement to tasks on the nodes. A placement that is older than the newest known is nothing; one that cannot be
 * used (the job does not wait any more, or part of it is already taken back) is answered with all its members released,
 * so that the scheduler never waits for a word about it.
 */
final class StartDecisions {

    /** Where a node's agent is reached. */
    record Address(String host, int port) {}

    private StartDecisions() {}

    static Job placed(Job job, PlacementState placement, Instant now) {
        if (placement.generation() <= job.holding().generation()) {
            return job;
        }
        boolean whole =
                placement.endedAt() == null && placement.members().stream().allMatch(member -> member.until() == null);
        return job.phase() == JobPhase.QUEUED && whole ? started(job, placement, now) : refused(job, placement, now);
    }

    /** The answer of checkpoint-service, and where the members' agents are. */
    static Job restoreDecided(
            Job job, int number, RestoreDecision decision, Map<NodeId, Address> addresses, Instant now) {
        if (!awaitsRestore(job, number)) {
            return job;
        }
        if (decision.verdict() == RestoreVerdict.REFUSED) {
            Ending refused = new Ending(Ending.Follow.FAIL, JobReason.RESTORE_REFUSED, decision.message());
            return AttemptDecisions.end(job.with(job.attemptOrThrow().restoring(decision)), refused, now);
        }
        Attempt tasked = job.attemptOrThrow()
                .restoring(decision)
                .mapMembers(member -> at(member, addresses))
                .at(AttemptStage.PREFLIGHT, now);
        return AttemptDecisions.advanced(
                job.with(tasked)
                        .because(
                                JobReason.PREFLIGHT_RUNNING,
                                "checks run on " + tasked.members().size() + " nodes of attempt " + number + "; "
                                        + decision.message()),
                now);
    }

    /** Why the restore decision could not be asked for yet. */
    static Job waits(Job job, int number, JobReason reason, String message) {
        return awaitsRestore(job, number) ? job.because(reason, message) : job;
    }

    static boolean awaitsRestore(Job job, int number) {
        return job.live()
                .filter(attempt -> attempt.number() == number && attempt.stage() == AttemptStage.AWAITING_RESTORE)
                .isPresent();
    }

    /** Whom health-service blames; until it has decided, nothing changes. */
    static Job judged(Job job, int number, PreflightVerdict verdict, Instant now) {
        boolean asked = job.live()
                .filter(attempt -> attempt.number() == number && attempt.verdictPending())
                .isPresent();
        Ending ending = asked ? job.attemptOrThrow().ending() : null;
        if (!verdict.decided() || ending == null) {
            return job;
        }
        Ending explained = new Ending(ending.follow(), ending.reason(), ending.message() + "; " + verdict.message());
        Job blamed = job.with(job.holding().blaming(verdict.blamed()))
                .with(job.attemptOrThrow().judged(explained));
        return AttemptDecisions.advanced(blamed.because(explained.reason(), explained.message()), now);
    }

    /** What an attempt starts from, in words. */
    static String restored(@Nullable RestoreDecision decision) {
        return decision != null && decision.verdict() == RestoreVerdict.RESTORED
                ? "restored checkpoint " + decision.checkpointId() + " of step " + decision.step()
                : "started from the beginning";
    }

    /**
     * The next attempt on the nodes of the one that is over, without the scheduler. If the scheduler has meanwhile placed
     * the job anew, those nodes are not the job's any more, and it waits for a placement.
     */
    static Job again(Job job, Instant now) {
        Attempt before = job.attemptOrThrow();
        if (before.generation() != job.holding().generation()) {
            return job.with(job.holding().afterRound(false))
                    .moved(JobTrigger.REQUEUED, JobReason.REQUEUED, "waits for a new placement", now);
        }
        List<Member> members = before.members().stream()
                .map(member -> Member.placed(member.nodeRank(), member.node(), member.gpus()))
                .toList();
        int number = before.number() + 1;
        return job.with(fresh(number, before.generation(), before.reachedLevel(), before.reachedDomain(), members, now))
                .because(
                        JobReason.PREFLIGHT_RUNNING,
                        "attempt " + number + " on the same " + members.size()
                                + " nodes; asks from which checkpoint to start");
    }

    private static Job started(Job job, PlacementState placement, Instant now) {
        int number = job.attempt() == null ? 1 : job.attempt().number() + 1;
        List<Member> members = placement.members().stream()
                .sorted(Comparator.comparingInt(PlacedMember::nodeRank))
                .map(member -> Member.placed(member.nodeRank(), member.node(), member.gpus()))
                .toList();
        Attempt attempt = fresh(
                number, placement.generation(), placement.reachedLevel(), placement.reachedDomain(), members, now);
        String message = "attempt " + number + " on " + members.size() + " nodes of " + placement.reachedDomain()
                + "; asks from which checkpoint to start";
        return job.with(job.holding().releasing(placement.generation(), List.of()))
                .with(attempt)
                .moved(JobTrigger.PLACED, JobReason.PREFLIGHT_RUNNING, message, now);
    }

    private static Attempt fresh(
            int number, int generation, DomainType level, String domain, List<Member> members, Instant now) {
        return new Attempt(
                number,
                generation,
                AttemptStage.AWAITING_RESTORE,
                null,
                false,
                level,
                domain,
                null,
                null,
                now,
                now,
                null,
                null,
                null,
                null,
                members);
    }

    /** A newer placement while an older attempt lives: the scheduler has already taken back what that one held. */
    private static Job refused(Job job, PlacementState placement, Instant now) {
        List<NodeId> takenBack = job.live().stream()
                .flatMap(attempt -> attempt.members().stream())
                .filter(member -> !member.released())
                .map(Member::node)
                .toList();
        Job cleared = takenBack.isEmpty() ? job : AttemptDecisions.takenBack(job, takenBack, now);
        List<NodeId> all = placement.members().stream().map(PlacedMember::node).toList();
        return cleared.with(cleared.holding().releasing(placement.generation(), all));
    }

    private static Member at(Member member, Map<NodeId, Address> addresses) {
        Address address = addresses.get(member.node());
        if (address == null) {
            throw new IllegalStateException("no address for node " + member.node());
        }
        return member.at(address.host(), address.port());
    }
}
