package io.muster.job.lifecycle;

import io.muster.contract.agent.Rendezvous;
import java.time.Instant;
import java.util.List;

/**
 * An attempt before any rank of it runs. Strongest first: a lost node, which explains what its peers could not reach; a
 * checkpoint of which a shard is damaged, or cannot be reached now; failed checks, about which health-service is asked; a member that gave up. None of
 * them is charged to anybody. When all have passed, the ranks are told where to meet.
 */
final class PreflightDecisions {

    private PreflightDecisions() {}

    static Job advanced(Job job, Attempt attempt, Instant now) {
        if (attempt.members().stream().anyMatch(Member::lost)) {
            return lost(job, attempt, now);
        }
        for (Member member : attempt.members()) {
            if (member.damaged() != null) {
                return AttemptDecisions.interrupt(job, RestartDecisions.damaged(attempt, member), false, now);
            }
        }
        for (Member member : attempt.members()) {
            if (member.failedPreflight() && member.unreachedCopy().isPresent()) {
                return AttemptDecisions.interrupt(job, RestartDecisions.unreachable(attempt, member), false, now);
            }
        }
        for (Member member : attempt.members()) {
            if (member.failedPreflight()) {
                return AttemptDecisions.interrupt(job, JobReason.PREFLIGHT_FAILED, failedChecks(member), true, now);
            }
        }
        for (Member member : attempt.members()) {
            if (member.gone()) {
                String message =
                        "the agent of node " + member.node() + " gave the attempt up before any rank was started";
                return AttemptDecisions.interrupt(job, JobReason.AGENT_DOWN, message, false, now);
            }
        }
        Member first = attempt.members().getFirst();
        boolean passed = attempt.members().stream().allMatch(Member::passedPreflight);
        if (!passed || first.offeredMasterPort() == null || first.address() == null) {
            return job;
        }
        Attempt meeting = attempt.meeting(new Rendezvous(first.address(), first.offeredMasterPort()), now);
        String message = "checks passed on " + attempt.members().size() + " nodes; ranks are being started";
        return AttemptDecisions.advanced(
                StartDecisions.verified(job.with(meeting).because(JobReason.RANKS_STARTING, message)), now);
    }

    /** Also before the tasks are given out. */
    static Job lost(Job job, Attempt attempt, Instant now) {
        return attempt.members().stream()
                .filter(Member::lost)
                .findFirst()
                .map(member ->
                        AttemptDecisions.interrupt(job, RestartDecisions.lostBeforeStart(job, member), false, now))
                .orElse(job);
    }

    private static String failedChecks(Member member) {
        List<String> failed = member.checks().stream()
                .filter(check -> !check.lets())
                .map(check -> check.check() + " (" + check.message() + ")")
                .toList();
        return "preflight failed on node " + member.node() + ": "
                + (failed.isEmpty() ? "its agent named no check" : String.join("; ", failed));
    }
}
