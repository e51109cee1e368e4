package io.muster.job.lifecycle;

import io.muster.contract.agent.ExitCause;
import io.muster.contract.id.NodeId;
import io.muster.contract.node.Fitness;
import io.muster.contract.node.Hold;
import io.muster.contract.node.HoldEffect;
import io.muster.contract.node.HoldScope;
import io.muster.job.node.NodeDirectory;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Until when evidence is awaited after the first bad exit, without comparing clocks. The revision of every member's node is
 * raised; a member has passed when its agent has taken that revision in, because the same report then carries every exit
 * and kernel fact of the attempt, or when health-service says that its lease is lost. When all have passed, the strongest
 * cause is the verdict. A node under an EVICT hold ends the wait at once: nothing outweighs it.
 *
 * <p>While health-service cannot tell silent nodes from lost ones, or does not answer, nothing is concluded from silence. A member that stays
 * silent with a living lease for two minutes is not waited for any longer; then nobody's program is blamed.
 *
 * <p>A node that is the cause without a hold, because its lease is lost or it stayed silent, is <em>in question</em>:
 * health-service is asked about it until it is held, which is a loss, or fit, which makes it usable as before.
 */
final class EvidenceBarrier {

    /** How long a silent member with a living lease is waited for. */
    static final Duration LONGEST = Duration.ofMinutes(2);

    /** How often at most it is written down that nothing can be concluded at present. */
    private static final Duration INCIDENT_NOTED = Duration.ofSeconds(10);

    private static final int ASKED_AT_ONCE = 64;
    private static final Set<String> PLANNED = Set.of("ADMISSION", "CORDONED");

    private EvidenceBarrier() {}

    /** Nodes that must be asked because the attempt has broken with this change, in the order of their ids. */
    static List<NodeId> opened(Job before, Job after) {
        Attempt was = before.attempt();
        Attempt is = after.attempt();
        if (is == null || was == null || is.number() != was.number() || is.stage() != AttemptStage.RUN) {
            return List.of();
        }
        return is.firstBadExitAt() == null || was.firstBadExitAt() != null
                ? List.of()
                : is.members().stream()
                        .filter(member -> !member.released())
                        .map(Member::node)
                        .sorted()
                        .toList();
    }

    /** With these revisions the nodes are asked. */
    static Job asked(Job job, Map<NodeId, Long> revisions) {
        return job.with(job.attemptOrThrow().mapMembers(member -> {
            Long revision = revisions.get(member.node());
            return revision == null ? member : member.with(member.evidence().asked(revision));
        }));
    }

    /** What the agent has reported until now is all there is up to this revision. */
    static Job acknowledged(Job job, NodeId node, long revision, Instant now) {
        boolean passes = job.live().stream()
                .flatMap(attempt -> attempt.members().stream())
                .anyMatch(member ->
                        member.node().equals(node) && member.evidence().takenIn(revision));
        return passes ? AttemptDecisions.advanced(changed(job, node, EvidenceBarrier::heard), now) : job;
    }

    /** Nodes about which health-service must be asked now, in rank order. */
    static List<NodeId> questions(Job job) {
        Attempt attempt = job.attempt();
        if (attempt == null) {
            return List.of();
        }
        boolean open = attempt.stage() == AttemptStage.RUN && attempt.firstBadExitAt() != null;
        boolean decided = attempt.leadsTo(Ending.Follow.REPAIR)
                && (!attempt.over() || job.awaitsNext() && !RepairDecisions.due(job));
        return attempt.members().stream()
                .filter(member -> open && !passed(member)
                        || decided && member.evidence().inQuestion() && !RepairDecisions.isLost(job, member.node()))
                .map(Member::node)
                .limit(ASKED_AT_ONCE)
                .toList();
    }

    /** What health-service says of a node that is asked about. */
    static Job answered(Job job, Fitness fitness, Instant now) {
        NodeId node = fitness.node();
        if (!questions(job).contains(node)) {
            return job;
        }
        if (NodeDirectory.evicts(fitness.holds())) {
            return AttemptDecisions.lost(job, List.of(new Job.LostNode(node, session(fitness))), now);
        }
        if (fitness.controlPlaneIncident()) {
            return undecided(
                    job,
                    now,
                    "health-service cannot tell at present whether silent nodes are lost or only unheard (control-plane incident)");
        }
        if (job.attemptOrThrow().stage() == AttemptStage.RUN) {
            return fitness.leaseAlive()
                    ? job
                    : AttemptDecisions.advanced(changed(job, node, EvidenceBarrier::silent), now);
        }
        return fit(fitness) ? AttemptDecisions.advanced(changed(job, node, EvidenceBarrier::cleared), now) : job;
    }

    /** Health-service does not say anything of a node that is asked about: its lease may live or not. */
    static Job unanswered(Job job, NodeId node, Instant now) {
        return questions(job).contains(node) ? undecided(job, now, "health-service does not answer") : job;
    }

    /** Whether every member has passed, or the longest wait is over. */
    static boolean over(Attempt attempt, Instant now) {
        Instant end = end(attempt);
        return complete(attempt) || end != null && !end.isAfter(now);
    }

    /** When to look again at an attempt that has broken; null if it has not. */
    static @Nullable Instant nextLook(Attempt attempt, Instant now) {
        if (attempt.firstBadExitAt() == null) {
            return null;
        }
        return complete(attempt) ? now : AttemptDecisions.earlier(now.plus(AttemptDecisions.RETRY), end(attempt));
    }

    /** The wait ended with members that have shown nothing: from now on they are in question. */
    static Job withSilentInQuestion(Job job) {
        return job.with(job.attemptOrThrow()
                .mapMembers(member -> passed(member) ? member : member.with(silent(member.evidence()))));
    }

    static boolean complete(Attempt attempt) {
        return attempt.members().stream().allMatch(EvidenceBarrier::passed);
    }

    static List<NodeId> silent(Attempt attempt) {
        return attempt.members().stream()
                .filter(member -> !passed(member))
                .map(Member::node)
                .toList();
    }

    /** An agent that is shutting down has said so with the exits that it caused, and is not heard again. */
    private static boolean passed(Member member) {
        return member.released()
                || member.evidence().heard()
                || member.ranks().stream()
                        .anyMatch(rank -> rank.exit() != null && rank.exit().cause() == ExitCause.AGENT_DOWN);
    }

    private static @Nullable Instant end(Attempt attempt) {
        Instant since = attempt.course().evidenceSince();
        return since == null ? null : since.plus(LONGEST);
    }

    private static Member.Evidence heard(Member.Evidence known) {
        return new Member.Evidence(known.askedRevision(), true, known.inQuestion());
    }

    private static Member.Evidence silent(Member.Evidence known) {
        return new Member.Evidence(known.askedRevision(), true, true);
    }

    private static Member.Evidence cleared(Member.Evidence known) {
        return new Member.Evidence(known.askedRevision(), known.heard(), false);
    }

    private static Job changed(Job job, NodeId node, UnaryOperator<Member.Evidence> change) {
        return job.with(job.attemptOrThrow()
                .mapMembers(
                        member -> member.node().equals(node) ? member.with(change.apply(member.evidence())) : member));
    }

    /** The longest wait begins anew: it is for members that are known to live. */
    private static Job undecided(Job job, Instant now, String why) {
        Attempt attempt = job.attemptOrThrow();
        Instant noted = attempt.course().evidenceSince();
        List<NodeId> open = questions(job);
        String more = open.size() == 1 ? "" : " and " + (open.size() - 1) + " more";
        String message = "waits: " + why + ", so nothing is concluded about node " + open.getFirst() + more
                + " of attempt " + attempt.number();
        Job told = job.because(JobReason.WAITING_FOR_EVIDENCE, message);
        return noted != null && noted.plus(INCIDENT_NOTED).isAfter(now)
                ? told
                : told.with(attempt.awaitingEvidence(now));
    }

    private static boolean fit(Fitness fitness) {
        return fitness.known()
                && fitness.leaseAlive()
                && fitness.holds().stream().noneMatch(EvidenceBarrier::suspects);
    }

    private static boolean suspects(Hold hold) {
        return hold.scope() != HoldScope.GPU
                && hold.effect() == HoldEffect.NO_NEW_WORK
                && !PLANNED.contains(hold.cause());
    }

    /** The life of the node that the evidence is from. */
    private static long session(Fitness fitness) {
        return fitness.holds().stream()
                .filter(NodeDirectory::takesAway)
                .mapToLong(Hold::session)
                .max()
                .orElse(0);
    }
}
