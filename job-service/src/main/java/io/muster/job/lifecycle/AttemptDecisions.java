package io.muster.job.lifecycle;

import io.muster.contract.agent.AttemptReport;
import io.muster.contract.agent.Progress;
import io.muster.contract.agent.Rendezvous;
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
        return advanced(member.get().nodeRank() == 0 ? told(noted, report) : noted, now);
    }

    /** Nodes under an EVICT hold: what they held is free, and they are not used for this job in the life they had. */
    static Job lost(Job job, List<Job.LostNode> nodes, Instant now) {
        List<NodeId> hit = held(job, nodes.stream().map(Job.LostNode::node).toList());
        List<Job.LostNode> shunned =
                nodes.stream().filter(lost -> hit.contains(lost.node())).toList();
        return withoutNodes(job.with(job.holding().losing(shunned)), hit, now);
    }

    /** What the attempt held on these nodes has been given to others. */
    static Job takenBack(Job job, List<NodeId> nodes, Instant now) {
        return withoutNodes(job, held(job, nodes), now);
    }

    /** A node without an EVICT hold lives under this session: the job may use it again if it was lost in an earlier one. */
    static Job found(Job job, NodeId node, long session) {
        return job.phase().ended() ? job : job.with(job.holding().finding(node, session));
    }

    private static List<NodeId> held(Job job, List<NodeId> nodes) {
        return job.live().stream()
                .flatMap(attempt -> attempt.members().stream())
                .filter(member -> nodes.contains(member.node()) && !member.released())
                .map(Member::node)
                .toList();
    }

    private static Job withoutNodes(Job job, List<NodeId> hit, Instant now) {
        if (hit.isEmpty()) {
            return job;
        }
        Attempt marked = job.attemptOrThrow().mapMembers(one -> hit.contains(one.node()) ? one.markedLost() : one);
        return advanced(reconsidered(job.with(marked), marked, now), now);
    }

    /** The others are still being cleared away when a node turns out to be lost: that outweighs what they have shown. */
    private static Job reconsidered(Job job, Attempt attempt, Instant now) {
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
        return released(job, job.attemptOrThrow())
                .moved(JobTrigger.ENDING_DECIDED, cancel.reason(), cancel.message(), now)
                .moved(JobTrigger.GONE_AFTER_CANCEL, cancel.reason(), cancel.message(), now);
    }

    /** Takes every step that is due by what is known at this moment. */
    static Job advanced(Job job, Instant now) {
        Attempt attempt = job.live().orElse(null);
        if (attempt == null) {
            return job.awaitsRestart() ? StartDecisions.again(job, now) : job;
        }
        return switch (attempt.stage()) {
            case AWAITING_RESTORE -> beforeTasks(job, attempt, now);
            case PREFLIGHT -> inPreflight(job, attempt, now);
            case RUN -> inRun(job, attempt, now);
            case STOPPING -> whileStopping(job, attempt, now);
            case ENDED -> job;
        };
    }

    /** When the job must be looked at again though nothing has been reported; null if never. */
    static @Nullable Instant nextLook(Job job, Instant now) {
        Attempt attempt = job.live().orElse(null);
        if (attempt == null) {
            return job.awaitsRestart() ? now : null;
        }
        return switch (attempt.stage()) {
            case AWAITING_RESTORE -> waits(job) ? now.plus(RETRY) : now;
            case STOPPING -> attempt.verdictPending() ? now : null;
            case RUN -> earlier(barrierEnd(job, attempt), runtimeEnd(job));
            case PREFLIGHT, ENDED -> null;
        };
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

    private static Job interrupt(Job job, Ending ending, boolean askVerdict, Instant now) {
        Job decided = job.with(stopping(job.attemptOrThrow(), ending, askVerdict, now))
                .with(job.runTime().stopped(now))
                .moved(JobTrigger.INTERRUPTED, ending.reason(), ending.message(), now);
        return advanced(decided, now);
    }

    private static Job follow(Job job, Ending ending, Instant now) {
        return switch (ending.follow()) {
            case REQUEUE, RESTART -> interrupt(job, ending, false, now);
            case SUCCEED, FAIL, CANCEL -> end(job, ending, now);
        };
    }

    /** Before the tasks are given out no agent knows of the attempt: nothing can be running. */
    private static Attempt stopping(Attempt attempt, Ending ending, boolean askVerdict, Instant now) {
        boolean untold = attempt.stage() == AttemptStage.AWAITING_RESTORE;
        Attempt cleared = untold ? attempt.mapMembers(Member::markedGone) : attempt;
        return cleared.stopping(ending, askVerdict, now);
    }

    private static Job beforeTasks(Job job, Attempt attempt, Instant now) {
        return attempt.members().stream()
                .filter(Member::lost)
                .findFirst()
                .map(member -> interrupt(job, JobReason.NODE_LOST, lostBeforeStart(member), false, now))
                .orElse(job);
    }

    private static Job inPreflight(Job job, Attempt attempt, Instant now) {
        for (Member member : attempt.members()) {
            if (member.failedPreflight()) {
                return interrupt(job, JobReason.PREFLIGHT_FAILED, failedChecks(member), true, now);
            }
        }
        for (Member member : attempt.members()) {
            if (member.lost()) {
                return interrupt(job, JobReason.NODE_LOST, lostBeforeStart(member), false, now);
            }
            if (member.gone()) {
                String message =
                        "the agent of node " + member.node() + " gave the attempt up before any rank was started";
                return interrupt(job, JobReason.AGENT_DOWN, message, false, now);
            }
        }
        Member first = attempt.members().getFirst();
        boolean passed = attempt.members().stream().allMatch(Member::passedPreflight);
        if (!passed || first.offeredMasterPort() == null || first.address() == null) {
            return job;
        }
        Attempt meeting = attempt.meeting(new Rendezvous(first.address(), first.offeredMasterPort()), now);
        String message = "checks passed on " + attempt.members().size() + " nodes; ranks are being started";
        return advanced(job.with(meeting).because(JobReason.RANKS_STARTING, message), now);
    }

    private static Job inRun(Job job, Attempt attempt, Instant now) {
        int processes = job.head().spec().processesPerNode();
        Optional<ExitVerdict.Cause> cause = ExitVerdict.strongest(attempt.members(), processes);
        if (cause.isPresent()) {
            return broken(job, attempt, cause.get(), processes, now);
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

    private static Job broken(Job job, Attempt attempt, ExitVerdict.Cause cause, int processes, Instant now) {
        Instant first = attempt.firstBadExitAt() == null ? now : attempt.firstBadExitAt();
        if (ExitVerdict.due(cause, attempt.members(), processes, first).isAfter(now)) {
            return attempt.firstBadExitAt() == null ? job.with(attempt.withBadExitAt(now)) : job;
        }
        Ending next = RestartDecisions.after(job, attempt, cause);
        return follow(job.with(job.restarts().noting(RestartDecisions.error(attempt, cause))), next, now);
    }

    private static Job whileStopping(Job job, Attempt attempt, Instant now) {
        Ending ending = attempt.ending();
        boolean keeps = ending != null && ending.follow() == Ending.Follow.RESTART;
        Job released = keeps ? job : released(job, attempt);
        if (ending == null || attempt.verdictPending() || !attempt.allReleased()) {
            return released;
        }
        Job over = released.with(attempt.ended(now));
        return switch (ending.follow()) {
            case SUCCEED -> over.moved(JobTrigger.GONE_AFTER_SUCCESS, ending.reason(), ending.message(), now);
            case FAIL -> over.moved(JobTrigger.GONE_AFTER_FAILURE, ending.reason(), ending.message(), now);
            case CANCEL -> over.moved(JobTrigger.GONE_AFTER_CANCEL, ending.reason(), ending.message(), now);
            case REQUEUE -> requeued(charged(over, attempt, ending), attempt, ending, now);
            case RESTART -> charged(over, attempt, ending);
        };
    }

    private static Job released(Job job, Attempt attempt) {
        return job.holding().generation() == attempt.generation()
                ? job.with(job.holding().releasing(attempt.generation(), attempt.releasedNodes()))
                : job;
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

    private static Job told(Job job, AttemptReport report) {
        Progress known = job.progress();
        Progress reported = report.progress();
        boolean newer = reported != null && (known == null || reported.at().isAfter(known.at()));
        Job noted = reported == null ? job : job.with(job.attemptOrThrow().reaching(reported.step()));
        Map<String, Object> result = report.result() != null ? report.result() : job.result();
        return newer || result != job.result() ? noted.telling(newer ? reported : known, result) : noted;
    }

    private static String failedChecks(Member member) {
        List<String> failed = member.checks().stream()
                .filter(check -> !check.lets())
                .map(check -> check.check() + " (" + check.message() + ")")
                .toList();
        return "preflight failed on node " + member.node() + ": "
                + (failed.isEmpty() ? "its agent named no check" : String.join("; ", failed));
    }

    private static String lostBeforeStart(Member member) {
        return "node " + member.node() + " was lost before any rank was started";
    }

    private static boolean waits(Job job) {
        return job.status().reason() == JobReason.WAITING_FOR_CHECKPOINT_SERVICE
                || job.status().reason() == JobReason.WAITING_FOR_NODE_FACTS;
    }

    private static @Nullable Instant barrierEnd(Job job, Attempt attempt) {
        Instant first = attempt.firstBadExitAt();
        int processes = job.head().spec().processesPerNode();
        return first == null
                ? null
                : ExitVerdict.strongest(attempt.members(), processes)
                        .map(cause -> ExitVerdict.due(cause, attempt.members(), processes, first))
                        .orElse(null);
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
