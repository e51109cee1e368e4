package io.muster.job.lifecycle;

import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.id.NodeId;
import io.muster.contract.node.CheckResult;
import io.muster.job.spec.JobSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What follows a broken attempt, by its cause and by the restarts that are left. A lost node: replaced while the others
 * are kept, charged to the platform; placed anew whole if some of the others have been given back already. An agent that was shut down: placed anew, charged to nobody. Processes that ended badly on healthy nodes: all
 * of them again on the same nodes, charged to the user. Without a restart left the job fails and says the numbers.
 *
 * <p>Never restarted, whatever is left, because it would only fail again: a program that cannot be started; an error of
 * the program before the attempt has made a step of its own; the same last line at the same step twice in a row.
 */
final class RestartDecisions {

    private static final String KEPT =
            ": the others are stopped and kept, and the next attempt starts when the lost ones are replaced";

    private RestartDecisions() {}

    static Ending after(Job job, Attempt attempt, ExitVerdict.Cause cause) {
        if (cause.reason() == JobReason.NODE_LOST) {
            return lostNode(job, cause);
        }
        return cause.reason() == JobReason.AGENT_DOWN
                ? new Ending(Ending.Follow.REQUEUE, cause.reason(), cause.message())
                : processes(job, attempt, cause);
    }

    /** What to compare the next error of the program with; null if there is nothing to compare. */
    static Restarts.@Nullable ProgramError error(Attempt attempt, ExitVerdict.Cause cause) {
        String line = cause.lastLine();
        return cause.reason() != JobReason.USER_ERROR || line == null || line.isBlank() || attempt.step() == null
                ? null
                : new Restarts.ProgramError(line, attempt.step());
    }

    /** Charged to nobody, and no node's fault: the next attempt on the same nodes asks for an older checkpoint. */
    static Ending damaged(Attempt attempt, Member member) {
        RestoreDecision restore = attempt.restore();
        String step = restore == null ? "" : " of step " + restore.step();
        return new Ending(
                Ending.Follow.RESTART,
                JobReason.CHECKPOINT_DAMAGED,
                "node " + member.node() + " found no whole copy of a shard of checkpoint " + member.damaged() + step
                        + " anywhere; attempt " + (attempt.number() + 1)
                        + " on the same nodes restores the next older one");
    }

    /** Charged to nobody, and no node's fault: the next attempt on the same nodes asks again what can be restored. */
    static Ending unreachable(Attempt attempt, Member member) {
        return new Ending(
                Ending.Follow.RESTART,
                JobReason.WAITING_FOR_CHECKPOINT_COPY,
                "node " + member.node() + " cannot reach the checkpoint to restore now: "
                        + member.unreachedCopy().map(CheckResult::message).orElse("") + "; attempt "
                        + (attempt.number() + 1) + " on the same nodes tries again");
    }

    private static Ending lostNode(Job job, ExitVerdict.Cause cause) {
        int used = job.restarts().platform();
        int allowed = job.head().spec().faultTolerance().platformRestarts();
        if (used >= allowed) {
            return fail(
                    cause, used + " of " + allowed + " platform restarts are used (faultTolerance.platformRestarts)");
        }
        boolean repair = RepairDecisions.repairable(job);
        return new Ending(
                repair ? Ending.Follow.REPAIR : Ending.Follow.REQUEUE,
                cause.reason(),
                cause.message() + "; platform restart " + (used + 1) + " of " + allowed
                        + (repair ? KEPT : ": the others are stopped, then all nodes are placed anew"));
    }

    /** Some members have shown nothing for too long: nobody's program is blamed. */
    static Ending unclear(Job job, Attempt attempt, ExitVerdict.Cause cause) {
        List<NodeId> silent = EvidenceBarrier.silent(attempt);
        String message = cause.message() + "; " + silent.size() + " of "
                + attempt.members().size() + " agents have shown nothing for " + EvidenceBarrier.LONGEST.toSeconds()
                + " s though their lease lives: " + RepairDecisions.names(silent);
        return lostNode(job, new ExitVerdict.Cause(JobReason.EVIDENCE_MISSING, cause.rank(), message, null));
    }

    /** Charged to nobody: no rank had run. */
    static Ending lostBeforeStart(Job job, Member member) {
        boolean repair = RepairDecisions.repairable(job);
        return new Ending(
                repair ? Ending.Follow.REPAIR : Ending.Follow.REQUEUE,
                JobReason.NODE_LOST,
                "node " + member.node() + " was lost before any rank was started" + (repair ? KEPT : ""));
    }

    private static Ending processes(Job job, Attempt attempt, ExitVerdict.Cause cause) {
        JobSpec.FaultTolerance tolerance = job.head().spec().faultTolerance();
        int used = job.restarts().user();
        int allowed = tolerance.userRestarts();
        if (used >= allowed) {
            return fail(cause, used + " of " + allowed + " user restarts are used (faultTolerance.userRestarts)");
        }
        String left = " (" + used + " of " + allowed + " user restarts are used)";
        if (cause.reason() == JobReason.START_FAILED) {
            return fail(cause, "a program that cannot be started is not tried again" + left);
        }
        if (cause.reason() == JobReason.USER_ERROR && !attempt.madeProgress()) {
            return fail(cause, "attempt " + attempt.number() + " had not reported a step of its own" + left);
        }
        Restarts.ProgramError error = error(attempt, cause);
        if (error != null && error.equals(job.restarts().lastError())) {
            return fail(cause, "the same last line at the same step " + error.step() + " twice in a row" + left);
        }
        return new Ending(
                Ending.Follow.RESTART,
                cause.reason(),
                cause.message() + "; user restart " + (used + 1) + " of " + allowed
                        + ": all ranks are stopped, then started again on the same nodes");
    }

    private static Ending fail(ExitVerdict.Cause cause, String why) {
        return new Ending(Ending.Follow.FAIL, cause.reason(), cause.message() + "; not restarted: " + why);
    }
}
