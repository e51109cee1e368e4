package io.muster.job.lifecycle;

import io.muster.contract.agent.Rendezvous;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.id.NodeId;
import io.muster.contract.job.DomainType;
import java.time.Instant;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One start of a job on one generation of its placement.
 *
 * @param stageSince when its present stage began: the limits of preflight and start count from here
 * @param ending what follows once all is gone; null while that is open
 * @param verdictPending health-service has yet to say whom it blames for a failed preflight
 * @param firstBadExitAt when the first bad exit was seen: the evidence barrier counts from here
 * @param step the newest that this attempt has reported; null before its first
 * @param members in node-rank order
 */
public record Attempt(
        int number,
        int generation,
        AttemptStage stage,
        @Nullable Ending ending,
        boolean verdictPending,
        DomainType reachedLevel,
        String reachedDomain,
        @Nullable RestoreDecision restore,
        @Nullable Rendezvous rendezvous,
        Instant startedAt,
        Instant stageSince,
        @Nullable Instant runningAt,
        @Nullable Instant firstBadExitAt,
        @Nullable Instant endedAt,
        @Nullable Long step,
        List<Member> members) {

    public Attempt {
        members = List.copyOf(members);
    }

    boolean over() {
        return stage == AttemptStage.ENDED;
    }

    boolean allReleased() {
        return members.stream().allMatch(Member::released);
    }

    List<NodeId> releasedNodes() {
        return members.stream().filter(Member::released).map(Member::node).toList();
    }

    /** It has got beyond the point from which it started. */
    boolean madeProgress() {
        return step != null && step > (restore == null ? 0 : restore.step());
    }

    Attempt reaching(long reported) {
        long newStep = step == null ? reported : Math.max(step, reported);
        return new Attempt(
                number,
                generation,
                stage,
                ending,
                verdictPending,
                reachedLevel,
                reachedDomain,
                restore,
                rendezvous,
                startedAt,
                stageSince,
                runningAt,
                firstBadExitAt,
                endedAt,
                newStep,
                members);
    }

    Attempt at(AttemptStage newStage, Instant now) {
        return new Attempt(
                number,
                generation,
                newStage,
                ending,
                verdictPending,
                reachedLevel,
                reachedDomain,
                restore,
                rendezvous,
                startedAt,
                now,
                runningAt,
                firstBadExitAt,
                endedAt,
                step,
                members);
    }

    Attempt mapMembers(UnaryOperator<Member> change) {
        return new Attempt(
                number,
                generation,
                stage,
                ending,
                verdictPending,
                reachedLevel,
                reachedDomain,
                restore,
                rendezvous,
                startedAt,
                stageSince,
                runningAt,
                firstBadExitAt,
                endedAt,
                step,
                members.stream().map(change).toList());
    }

    Attempt restoring(RestoreDecision decision) {
        return new Attempt(
                number,
                generation,
                stage,
                ending,
                verdictPending,
                reachedLevel,
                reachedDomain,
                decision,
                rendezvous,
                startedAt,
                stageSince,
                runningAt,
                firstBadExitAt,
                endedAt,
                step,
                members);
    }

    Attempt meeting(Rendezvous place, Instant now) {
        return new Attempt(
                number,
                generation,
                AttemptStage.RUN,
                ending,
                verdictPending,
                reachedLevel,
                reachedDomain,
                restore,
                place,
                startedAt,
                now,
                runningAt,
                firstBadExitAt,
                endedAt,
                step,
                members);
    }

    Attempt runningSince(Instant now) {
        return new Attempt(
                number,
                generation,
                stage,
                ending,
                verdictPending,
                reachedLevel,
                reachedDomain,
                restore,
                rendezvous,
                startedAt,
                stageSince,
                now,
                firstBadExitAt,
                endedAt,
                step,
                members);
    }

    Attempt withBadExitAt(Instant now) {
        return new Attempt(
                number,
                generation,
                stage,
                ending,
                verdictPending,
                reachedLevel,
                reachedDomain,
                restore,
                rendezvous,
                startedAt,
                stageSince,
                runningAt,
                now,
                endedAt,
                step,
                members);
    }

    /** Every member not yet gone is told to stop. */
    Attempt stopping(Ending decided, boolean askVerdict, Instant now) {
        return new Attempt(
                number,
                generation,
                AttemptStage.STOPPING,
                decided,
                askVerdict,
                reachedLevel,
                reachedDomain,
                restore,
                rendezvous,
                startedAt,
                now,
                runningAt,
                firstBadExitAt,
                endedAt,
                step,
                members);
    }

    Attempt judged(Ending decided) {
        return new Attempt(
                number,
                generation,
                stage,
                decided,
                false,
                reachedLevel,
                reachedDomain,
                restore,
                rendezvous,
                startedAt,
                stageSince,
                runningAt,
                firstBadExitAt,
                endedAt,
                step,
                members);
    }

    Attempt ended(Instant now) {
        return new Attempt(
                number,
                generation,
                AttemptStage.ENDED,
                ending,
                verdictPending,
                reachedLevel,
                reachedDomain,
                restore,
                rendezvous,
                startedAt,
                now,
                runningAt,
                firstBadExitAt,
                now,
                step,
                members);
    }
}
