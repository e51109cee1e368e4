package io.muster.job.lifecycle;

import io.muster.contract.agent.Progress;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.id.NodeId;
import io.muster.contract.node.PreflightVerdict;
import io.muster.contract.placement.PlacementState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * From a placement to tasks on the nodes. A placement that is older than the newest known is nothing, and so is one that a
 * repair has ended: the next one tells. One that cannot be used (the job does not wait any more, or part of it is already
 * taken back) is answered with all its members released, so that the scheduler never waits for a word about it.
 */
final class StartDecisions {

    /** Where a node's agent is reached, and in which rack. */
    record Address(String host, int port, String rack) {}

    private static final String STALL_METRIC = "muster_checkpoint_stall_seconds";
    private static final double LONGEST_STALL_SECONDS = Duration.ofDays(3650).toSeconds();

    private StartDecisions() {}

    static Job placed(Job job, PlacementState placement, Instant now) {
        return placed(job, placement, Set.of(), now);
    }

    /** @param spares of the nodes that are marked as spares, as far as known: only for what people are told */
    static Job placed(Job job, PlacementState placement, Set<NodeId> spares, Instant now) {
        int known = job.holding().generation();
        if (placement.generation() == known) {
            return RepairDecisions.wounded(job, placement, now);
        }
        if (placement.generation() < known || placement.repairedBy() != null) {
            return job;
        }
        return switch (job.phase()) {
            case QUEUED -> {
                Gang gang = Gang.of(placement, now);
                yield gang.whole() ? started(job, gang, now) : refused(job, gang);
            }
            case SUSPENDED, SUCCEEDED, FAILED, CANCELLED -> refused(job, Gang.of(placement, now));
            case STARTING, RUNNING, RECOVERING, STOPPING -> RepairDecisions.noticed(job, placement, spares, now);
        };
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
        Job blamed = job.with(job.holding().blaming(verdict.blamed(), now))
                .with(job.attemptOrThrow().judged(explained));
        return AttemptDecisions.advanced(blamed.because(explained.reason(), explained.message()), now);
    }

    /** What an attempt starts from, in words. */
    static String restored(@Nullable RestoreDecision decision) {
        return decision != null && decision.verdict() == RestoreVerdict.RESTORED
                ? "restored checkpoint " + decision.checkpointId() + " of step " + decision.step()
                : "started from the beginning";
    }

    /** The next attempt, on the nodes that the job has kept and on those that have replaced the lost ones. */
    static Job next(Job job, Gang gang, Instant now) {
        boolean same = gang.generation() == job.attemptOrThrow().generation();
        Job begun = begun(job, gang, now);
        String where = same ? "the same " : "generation " + gang.generation() + " with ";
        return begun.because(
                JobReason.PREFLIGHT_RUNNING,
                "attempt " + begun.attemptOrThrow().number() + " on " + where
                        + gang.seats().size() + " nodes; asks from which checkpoint to start");
    }

    private static Job started(Job job, Gang gang, Instant now) {
        Job begun = begun(job.with(job.holding().noticing(gang)), gang, now);
        String message = "attempt " + begun.attemptOrThrow().number() + " on "
                + gang.seats().size() + " nodes of " + gang.domain() + "; asks from which checkpoint to start";
        return begun.moved(JobTrigger.PLACED, JobReason.PREFLIGHT_RUNNING, message, now);
    }

    private static Job begun(Job job, Gang gang, Instant now) {
        int number = job.attempt() == null ? 1 : job.attempt().number() + 1;
        List<Member> members = gang.seats().stream()
                .map(seat -> Member.placed(seat.nodeRank(), seat.node(), seat.gpus()))
                .toList();
        Attempt.Place place = new Attempt.Place(gang.generation(), gang.level(), gang.domain());
        return job.with(Attempt.begun(number, place, members, now))
                .noting(
                        TimelineNote.Code.ATTEMPT_STARTED,
                        "attempt " + number + " started on generation " + gang.generation() + ": "
                                + RepairDecisions.names(gang.nodes()));
    }

    /** Every node has passed its checks, and with them verified what is to be restored. */
    static Job verified(Job job) {
        Attempt attempt = job.attemptOrThrow();
        RestoreDecision decision = attempt.restore();
        return decision != null && decision.verdict() == RestoreVerdict.RESTORED
                ? job.noting(
                        TimelineNote.Code.RESTORED,
                        "attempt " + attempt.number() + " restores checkpoint " + decision.checkpointId()
                                + " of step " + decision.step() + ", verified on all "
                                + attempt.members().size() + " nodes")
                : job.noting(
                        TimelineNote.Code.STARTED_FRESH,
                        "attempt " + attempt.number() + " starts from the beginning"
                                + (decision == null ? "" : ": " + decision.message()));
    }

    /** Rank 0 has told how far it is. */
    static Job trained(Job job, Progress progress, Instant now) {
        Attempt before = job.attemptOrThrow();
        Attempt after = before.reaching(progress.step(), now).stalledFor(stallMillis(progress));
        Job noted = job.with(after);
        boolean first =
                before.training().firstStepAt() == null && after.training().firstStepAt() != null;
        return first
                ? noted.noting(
                        TimelineNote.Code.FIRST_STEP,
                        "attempt " + after.number() + " has trained step " + progress.step()
                                + ", its first report after "
                                + (after.firstStep() == 0 ? "the beginning" : "restored step " + after.firstStep()))
                : noted;
    }

    /** What the client counts itself; a program that does not tell it has none. */
    private static long stallMillis(Progress progress) {
        Double seconds = progress.metrics().get(STALL_METRIC);
        return seconds != null && seconds > 0 && seconds < LONGEST_STALL_SECONDS ? Math.round(seconds * 1000) : 0;
    }

    /** The job does not wait for a placement any more, or part of this one is taken back: all of it is given back. */
    private static Job refused(Job job, Gang gang) {
        return job.with(job.holding().noticing(gang).releasing(gang.generation(), gang.nodes()));
    }

    private static Member at(Member member, Map<NodeId, Address> addresses) {
        Address address = addresses.get(member.node());
        if (address == null) {
            throw new IllegalStateException("no address for node " + member.node());
        }
        return member.at(new Member.Door(address.host(), address.port(), address.rack()));
    }
}
