package io.muster.job.lifecycle;

import io.muster.contract.agent.AttemptReport;
import io.muster.contract.agent.Progress;
import io.muster.contract.id.NodeId;
import io.muster.contract.job.JobPhase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a job does next, from what is known of its newest attempt. Everything is level-triggered: a fact is noted first,
 * then {@link #advanced} looks at the whole and takes every step that is due; the same facts in another order, or twice,
 * end the same. How an attempt ends is decided once.
 */
final class AttemptDecisions {

    /** So often may a start be given up before the job fails. */
    static final int MAX_PREFLIGHT_ROUNDS = 5;

    /** How long a question to another service that brought no answer rests. */
    static final Duration RETRY = Duration.ofMillis(500);

    private AttemptDecisions() {}

    /** A report of one node about one attempt; of an earlier attempt only that a lost member is gone after all. */
    static Job reported(Job job, NodeId node, AttemptReport report, Instant now) {
        Attempt attempt = job.attempt();
        if (attempt == null || attempt.number() != report.attempt()) {
            return job;
        }
        Optional<Member> member = attempt.members().stream()
                .filter(one -> one.node().equals(node))
                .findFirst();
        if (member.isEmpty() || attempt.stage() == AttemptStage.AWAITING_RESTORE) {
            return job;
        }
        Job noted = job.with(attempt.mapMembers(one -> one.node().equals(node) ? one.with(report, now) : one));
        return advanced(member.get().nodeRank() == 0 ? told(noted, report, now) : noted, now);
    }

    /** Nodes under an EVICT hold: what they held is free, and they are not used for this job in the life they had. */
    static Job lost(Job job, List<Job.LostNode> nodes, Instant now) {
        Gang gang = job.holding().gang();
        List<Job.LostNode> hit = nodes.stream()
                .filter(lost -> RepairDecisions.holdsNodes(job))
                .filter(lost -> gang != null && gang.has(lost.node()) || attempted(job, lost.node()))
                .toList();
        if (hit.isEmpty()) {
            return job;
        }
        List<NodeId> names = hit.stream().map(Job.LostNode::node).toList();
        Job.Holding shunning = job.holding().losing(hit, now);
        Job noted = job.with(gang == null ? shunning : shunning.with(gang.holding(names)));
        return withoutNodes(noted, names, now);
    }

    /**
     * A node without an EVICT hold lives under this session. The job may use it again if it was lost in an earlier one, or
     * failed a start and may take new work. A state from before that start, told late, gives the node back early: the hold
     * of the node, which follows, keeps the scheduler off it all the same.
     */
    static Job found(Job job, NodeId node, long session, boolean takesNewWork) {
        return job.phase().ended() ? job : job.with(job.holding().finding(node, session, takesNewWork));
    }

    private static boolean attempted(Job job, NodeId node) {
        return job.live().stream()
                .flatMap(attempt -> attempt.members().stream())
                .anyMatch(member -> member.node().equals(node));
    }

    /**
     * These nodes of the live attempt are lost. One that was cleared away already stays what it was, unless it is not yet
     * decided why the attempt breaks.
     */
    static Job withoutNodes(Job job, List<NodeId> nodes, Instant now) {
        Attempt attempt = job.live().orElse(null);
        if (attempt == null) {
            return advanced(job, now);
        }
        boolean open = attempt.stage() == AttemptStage.RUN;
        List<Member> hit = attempt.members().stream()
                .filter(member -> nodes.contains(member.node()) && !member.lost() && (open || !member.gone()))
                .toList();
        Job noted = job.with(attempt.mapMembers(one -> hit.contains(one) ? one.markedLost() : one));
        for (Member member : hit) {
            noted = noted.noting(TimelineNote.Code.NODE_LOST, lostMember(attempt, member));
        }
        return hit.isEmpty() ? advanced(noted, now) : advanced(reconsidered(noted, now), now);
    }

    /** A newer generation has taken the place of the one on which the attempt runs; if nothing else ends it, that does. */
    static Job superseded(Job job, Gang newer, Instant now) {
        Attempt attempt = job.live().orElse(null);
        if (attempt == null || attempt.stage() == AttemptStage.STOPPING || attempt.generation() >= newer.generation()) {
            return job;
        }
        String message = "generation " + newer.generation() + " has taken the place of generation "
                + attempt.generation() + ", on which attempt " + attempt.number() + " was";
        ExitVerdict.Cause cause = new ExitVerdict.Cause(JobReason.NODE_LOST, 0, message, null);
        Ending ending = attempt.rendezvous() == null
                ? new Ending(Ending.Follow.REPAIR, cause.reason(), message)
                : RestartDecisions.after(job, attempt, cause);
        return follow(job, ending, now);
    }

    /** The others are still being cleared away when a node turns out to be lost: that outweighs what they have shown. */
    private static Job reconsidered(Job job, Instant now) {
        Attempt attempt = job.attemptOrThrow();
        if (attempt.rendezvous() == null) {
            return attempt.verdictPending() ? PreflightDecisions.lost(job, attempt, now) : job;
        }
        return !openToEvidence(attempt)
                ? job
                : ExitVerdict.strongest(attempt.members(), job.head().spec().processesPerNode())
                        .filter(cause -> cause.reason() == JobReason.NODE_LOST)
                        .map(cause -> follow(job, RestartDecisions.after(job, attempt, cause), now))
                        .orElse(job);
    }

    private static boolean openToEvidence(Attempt attempt) {
        Ending ending = attempt.stage() == AttemptStage.STOPPING ? attempt.ending() : null;
        return ending != null && attempt.rendezvous() != null && ExitVerdict.weakerThanALostNode(ending.reason());
    }

    /**
     * A person no longer wants the job. Harmless when repeated, and too late once the end is decided for good; an end that a
     * lost node could still turn into a restart becomes a cancellation.
     */
    static Job cancelled(Job job, Instant now) {
        Ending cancel = new Ending(Ending.Follow.CANCEL, JobReason.CANCELLED_BY_USER, "cancelled on request");
        return switch (job.phase()) {
            case QUEUED, SUSPENDED ->
                job.moved(JobTrigger.DROPPED, cancel.reason(), "cancelled on request before it ran", now);
            case STARTING, RUNNING -> end(job, cancel, now);
            case RECOVERING -> job.live().isPresent() ? end(job, cancel, now) : cancelledBetween(job, cancel, now);
            case STOPPING -> openToEvidence(job.attemptOrThrow()) ? end(job, cancel, now) : job;
            case SUCCEEDED, FAILED, CANCELLED -> job;
        };
    }

    /** One attempt is over and the next has not begun. */
    private static Job cancelledBetween(Job job, Ending cancel, Instant now) {
        return RepairDecisions.released(job, job.attemptOrThrow())
                .moved(JobTrigger.ENDING_DECIDED, cancel.reason(), cancel.message(), now)
                .moved(JobTrigger.GONE_AFTER_CANCEL, cancel.reason(), cancel.message(), now);
    }

    /** Takes every step that is due by what is known at this moment. */
    static Job advanced(Job job, Instant now) {
        Attempt attempt = job.live().orElse(null);
        if (attempt == null) {
            return job.awaitsNext() ? RepairDecisions.next(job, now) : job;
        }
        return switch (attempt.stage()) {
            case AWAITING_RESTORE -> PreflightDecisions.lost(job, attempt, now);
            case PREFLIGHT -> PreflightDecisions.advanced(job, attempt, now);
            case RUN -> inRun(job, attempt, now);
            case STOPPING -> whileStopping(job, attempt, now);
            case ENDED -> job;
        };
    }

    /** When the job must be looked at again though nothing has been reported; null if never. */
    static @Nullable Instant nextLook(Job job, Instant now) {
        Attempt attempt = job.live().orElse(null);
        if (attempt == null) {
            return !job.awaitsNext() ? null : RepairDecisions.due(job) ? now : asking(job, now);
        }
        return switch (attempt.stage()) {
            case AWAITING_RESTORE -> waits(job) ? now.plus(RETRY) : now;
            case STOPPING -> attempt.verdictPending() ? now : asking(job, now);
            case RUN -> attempt.firstBadExitAt() == null ? runtimeEnd(job) : EvidenceBarrier.nextLook(attempt, now);
            case PREFLIGHT, ENDED -> null;
        };
    }

    private static @Nullable Instant asking(Job job, Instant now) {
        return EvidenceBarrier.questions(job).isEmpty() ? null : now.plus(RETRY);
    }

    /** How the job ends is decided; its processes are told to stop, and the end comes when all are gone. */
    static Job end(Job job, Ending ending, Instant now) {
        Attempt stopping = stopping(job.attemptOrThrow(), ending, false, now);
        Job decided = job.with(stopping).with(job.runTime().stopped(now));
        boolean already = job.phase() == JobPhase.STOPPING;
        Job told = already
                ? decided.because(ending.reason(), ending.message())
                : decided.moved(JobTrigger.ENDING_DECIDED, ending.reason(), ending.message(), now);
        return advanced(told, now);
    }

    /** The attempt ends through no fault of the program; the job is placed anew when all of it is gone. */
    static Job interrupt(Job job, JobReason reason, String message, boolean askVerdict, Instant now) {
        return interrupt(job, new Ending(Ending.Follow.REQUEUE, reason, message), askVerdict, now);
    }

    static Job interrupt(Job job, Ending ending, boolean askVerdict, Instant now) {
        Job decided = job.with(stopping(job.attemptOrThrow(), ending, askVerdict, now))
                .with(job.runTime().stopped(now))
                .moved(JobTrigger.INTERRUPTED, ending.reason(), ending.message(), now);
        return advanced(decided, now);
    }

    private static Job follow(Job job, Ending ending, Instant now) {
        return switch (ending.follow()) {
            case REQUEUE, RESTART, REPAIR -> interrupt(job, ending, false, now);
            case SUCCEED, FAIL, CANCEL -> end(job, ending, now);
        };
    }

    /** Before the tasks are given out no agent knows of the attempt: nothing can be running. */
    private static Attempt stopping(Attempt attempt, Ending ending, boolean askVerdict, Instant now) {
        boolean untold = attempt.stage() == AttemptStage.AWAITING_RESTORE;
        Attempt cleared = untold ? attempt.mapMembers(Member::markedGone) : attempt;
        return cleared.stopping(ending, askVerdict, now);
    }

    private static Job inRun(Job job, Attempt attempt, Instant now) {
        int processes = job.head().spec().processesPerNode();
        Optional<ExitVerdict.Cause> cause = ExitVerdict.strongest(attempt.members(), processes);
        if (cause.isPresent()) {
            return broken(job, attempt, cause.get(), now);
        }
        if (ExitVerdict.allCompleted(attempt.members(), processes)) {
            String message = "all " + attempt.members().size() * processes + " processes ended with exit code 0";
            return end(job, new Ending(Ending.Follow.SUCCEED, JobReason.COMPLETED, message), now);
        }
        Instant limit = runtimeEnd(job);
        if (limit != null && !limit.isAfter(now)) {
            String message = "ran " + job.runTime().total(now).toSeconds() + " s; limits.maxRuntime allows "
                    + Optional.ofNullable(job.head().spec().maxRuntime())
                            .orElse(Duration.ZERO)
                            .toSeconds() + " s";
            return end(job, new Ending(Ending.Follow.FAIL, JobReason.MAX_RUNTIME_EXCEEDED, message), now);
        }
        boolean up = job.phase() != JobPhase.RUNNING
                && attempt.members().stream()
                        .allMatch(member -> member.ready(
                                processes, job.head().spec().runtime().client()));
        return up ? running(job, attempt, processes, now) : job;
    }

    private static Job running(Job job, Attempt attempt, int processes, Instant now) {
        String message = "all " + attempt.members().size() * processes + " processes of attempt " + attempt.number()
                + " are up; " + StartDecisions.restored(attempt.restore());
        return job.with(attempt.runningSince(now))
                .with(job.holding().afterStart())
                .with(job.runTime().started(now))
                .moved(JobTrigger.ALL_RANKS_UP, JobReason.ALL_RANKS_UP, message, now);
    }

    private static Job broken(Job job, Attempt attempt, ExitVerdict.Cause cause, Instant now) {
        boolean certain = cause.reason() == JobReason.NODE_LOST;
        if (!certain && attempt.firstBadExitAt() == null) {
            String message = cause.message() + "; the evidence of all "
                    + attempt.members().size() + " nodes is awaited before anything is concluded";
            return job.with(attempt.awaitingEvidence(now)).because(JobReason.WAITING_FOR_EVIDENCE, message);
        }
        if (!certain && !EvidenceBarrier.over(attempt, now)) {
            return job;
        }
        if (!certain && !EvidenceBarrier.complete(attempt) && cause.reason() != JobReason.AGENT_DOWN) {
            Ending unclear = RestartDecisions.unclear(job, attempt, cause);
            return follow(EvidenceBarrier.withSilentInQuestion(job), unclear, now);
        }
        Ending next = RestartDecisions.after(job, attempt, cause);
        return follow(job.with(job.restarts().noting(RestartDecisions.error(attempt, cause))), next, now);
    }

    /** Whom health-service blames is awaited before anything is given back: until then a lost node may explain it all. */
    private static Job whileStopping(Job job, Attempt attempt, Instant now) {
        Ending ending = attempt.ending();
        if (ending == null || attempt.verdictPending()) {
            return job;
        }
        Job released = ending.keepsNodes() ? job : RepairDecisions.released(job, attempt);
        if (!attempt.allReleased()) {
            return released;
        }
        Job over = released.with(attempt.ended(now));
        return switch (ending.follow()) {
            case SUCCEED -> over.moved(JobTrigger.GONE_AFTER_SUCCESS, ending.reason(), ending.message(), now);
            case FAIL -> over.moved(JobTrigger.GONE_AFTER_FAILURE, ending.reason(), ending.message(), now);
            case CANCEL -> over.moved(JobTrigger.GONE_AFTER_CANCEL, ending.reason(), ending.message(), now);
            case REQUEUE -> requeued(charged(over, attempt, ending), attempt, ending, now);
            case RESTART, REPAIR -> charged(over, attempt, ending);
        };
    }

    private static Job charged(Job job, Attempt attempt, Ending ending) {
        return job.with(job.restarts().after(ending.reason(), attempt.rendezvous() != null));
    }

    /** A start that was given up counts; an attempt that had begun to run and lost its agents to a shutdown does not. */
    private static Job requeued(Job job, Attempt attempt, Ending ending, Instant now) {
        boolean counted = attempt.rendezvous() == null;
        Job again = job.with(job.holding().afterRound(counted));
        if (again.holding().preflightRounds() >= MAX_PREFLIGHT_ROUNDS && counted) {
            String message = "given up after " + MAX_PREFLIGHT_ROUNDS
                    + " starts that failed before any rank ran; the last: " + ending.message();
            return again.moved(JobTrigger.ENDING_DECIDED, JobReason.PREFLIGHT_FAILED, message, now)
                    .moved(JobTrigger.GONE_AFTER_FAILURE, JobReason.PREFLIGHT_FAILED, message, now);
        }
        return again.moved(
                JobTrigger.REQUEUED, JobReason.REQUEUED, "waits for a new placement; " + ending.message(), now);
    }

    private static Job told(Job job, AttemptReport report, Instant now) {
        Progress known = job.progress();
        Progress reported = report.progress();
        boolean newer = reported != null && (known == null || reported.at().isAfter(known.at()));
        Job noted = reported == null ? job : StartDecisions.trained(job, reported, now);
        Map<String, Object> result = report.result() != null ? report.result() : job.result();
        return newer || result != job.result() ? noted.telling(newer ? reported : known, result) : noted;
    }

    private static String lostMember(Attempt attempt, Member member) {
        return "node " + member.node() + " (node rank " + member.nodeRank() + " of "
                + attempt.members().size() + ") was lost in attempt " + attempt.number();
    }

    private static boolean waits(Job job) {
        return job.status().reason() == JobReason.WAITING_FOR_CHECKPOINT_SERVICE
                || job.status().reason() == JobReason.WAITING_FOR_NODE_FACTS;
    }

    private static @Nullable Instant runtimeEnd(Job job) {
        Duration limit = job.head().spec().maxRuntime();
        Instant since = job.runTime().runningSince();
        return limit == null || since == null
                ? null
                : since.plus(limit.minus(job.runTime().finished()));
    }

    static @Nullable Instant earlier(@Nullable Instant a, @Nullable Instant b) {
        if (a == null || b == null) {
            return a == null ? b : a;
        }
        return a.isBefore(b) ? a : b;
    }
}
