package io.muster.job.lifecycle;

import io.muster.contract.agent.Progress;
import io.muster.contract.id.JobId;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import io.muster.contract.job.JobPhase;
import io.muster.job.spec.JobSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A job as a whole: what was asked for, where it stands, what it holds, and its newest attempt.
 *
 * @param attempt the newest attempt, over or not; null before the first
 * @param notes what has happened to it since it was read, for its timeline; not kept with the job
 */
public record Job(
        Head head,
        Status status,
        Holding holding,
        RunTime runTime,
        Restarts restarts,
        @Nullable Attempt attempt,
        @Nullable Progress progress,
        @Nullable Map<String, Object> result,
        List<TimelineNote> notes) {

    public Job {
        notes = List.copyOf(notes);
    }

    /** What never changes. The spec has its project and queue. */
    public record Head(
            JobId id, TenantId tenant, ProjectId project, QueuePath queue, JobSpec spec, Instant submittedAt) {}

    /** @param via what the job was in before, if it has moved since it was read: a change may pass several states */
    public record Status(
            JobPhase phase,
            JobReason reason,
            String message,
            Instant since,
            @Nullable Status via) {

        static Status read(JobPhase phase, JobReason reason, String message, Instant since) {
            return new Status(phase, reason, message, since, null);
        }
    }

    /** A node lost for this job, in the life that it had then. */
    public record LostNode(NodeId node, long session) {}

    /**
     * @param generation the newest placement taken notice of; 0 = none
     * @param released nodes of that generation that are free again
     * @param shunned not to be used for it now, in the order of their ids
     * @param requeued released whole through no fault of its own: goes ahead of its peers
     * @param preflightRounds how often in a row the start had to be given up
     * @param gang the placement of that generation; null before the first
     */
    public record Holding(
            int generation,
            List<NodeId> released,
            List<Shunned> shunned,
            boolean requeued,
            int preflightRounds,
            @Nullable Gang gang) {
        public Holding {
            released = List.copyOf(released);
            shunned = List.copyOf(shunned);
        }

        static final Holding NONE = new Holding(0, List.of(), List.of(), false, 0, null);

        /** All that must not be used now, in the order of their ids. */
        public List<NodeId> failedNodes() {
            return shunned.stream().map(Shunned::node).distinct().toList();
        }

        Holding releasing(int ofGeneration, List<NodeId> nodes) {
            return new Holding(ofGeneration, nodes, shunned, requeued, preflightRounds, gang);
        }

        /** A newer placement: nothing of it is released yet. */
        Holding noticing(Gang newer) {
            return new Holding(newer.generation(), List.of(), shunned, requeued, preflightRounds, newer);
        }

        Holding with(@Nullable Gang changed) {
            return new Holding(generation, released, shunned, requeued, preflightRounds, changed);
        }

        /** They failed a start; who did so before counts anew. */
        Holding blaming(List<NodeId> nodes, Instant now) {
            return shunning(
                    nodes.stream().map(node -> Shunned.blamed(node, now)).toList());
        }

        /** The same loss, told again, stays when it was; so does one of a newer life. */
        Holding losing(List<LostNode> nodes, Instant now) {
            return shunning(nodes.stream()
                    .filter(lost -> shunned.stream()
                            .noneMatch(one -> one.node().equals(lost.node)
                                    && one.lostInSession() != null
                                    && one.lostInSession() >= lost.session))
                    .map(lost -> Shunned.lost(lost, now))
                    .toList());
        }

        /** The node is not held, and lives under this session: it may be used again if that ends why it was not. */
        Holding finding(NodeId node, long session, boolean takesNewWork) {
            Holding rest = forgetting(one -> one.node().equals(node) && one.endedBy(session, takesNewWork));
            return gang == null ? rest : rest.with(gang.freeing(node));
        }

        Holding forgetting(Predicate<Shunned> which) {
            return shunningOnly(shunned.stream().filter(which.negate()).toList());
        }

        /** At most one failed start and one loss of each node. */
        private Holding shunning(List<Shunned> more) {
            Stream<Shunned> kept = shunned.stream()
                    .filter(known -> more.stream()
                            .noneMatch(one -> one.node().equals(known.node()) && one.wasLost() == known.wasLost()));
            return shunningOnly(Stream.concat(kept, more.stream())
                    .distinct()
                    .sorted(Comparator.comparing(Shunned::node).thenComparing(Shunned::wasLost))
                    .toList());
        }

        private Holding shunningOnly(List<Shunned> nodes) {
            return new Holding(generation, released, nodes, requeued, preflightRounds, gang);
        }

        Holding afterRound(boolean counted) {
            int rounds = preflightRounds + (counted ? 1 : 0);
            return new Holding(generation, released, shunned, true, rounds, gang);
        }

        /** All ranks are up: the starts given up before are forgotten. */
        Holding afterStart() {
            return new Holding(generation, released, shunned, requeued, 0, gang);
        }
    }

    /**
     * Time in RUNNING over all attempts.
     *
     * @param finished of the attempts that are over
     * @param runningSince null while not running
     */
    public record RunTime(Duration finished, @Nullable Instant runningSince) {

        static final RunTime NONE = new RunTime(Duration.ZERO, null);

        RunTime started(Instant now) {
            return new RunTime(finished, now);
        }

        RunTime stopped(Instant now) {
            return runningSince == null ? this : new RunTime(total(now), null);
        }

        Duration total(Instant now) {
            Duration open = runningSince == null ? Duration.ZERO : Duration.between(runningSince, now);
            return finished.plus(open.isNegative() ? Duration.ZERO : open);
        }
    }

    public static Job submitted(Head head) {
        Status status = Status.read(
                JobPhase.QUEUED,
                JobReason.SUBMITTED,
                "waits for " + head.spec.resources().nodes() + " nodes",
                head.submittedAt);
        return new Job(head, status, Holding.NONE, RunTime.NONE, Restarts.NONE, null, null, null, List.of());
    }

    public JobId id() {
        return head.id;
    }

    public JobPhase phase() {
        return status.phase;
    }

    /** The attempt, while any process of it may exist. */
    Optional<Attempt> live() {
        return Optional.ofNullable(attempt).filter(one -> !one.over());
    }

    /** Nothing of it runs, and the next attempt is to follow on the nodes that it keeps. */
    boolean awaitsNext() {
        Ending ending =
                status.phase == JobPhase.RECOVERING && attempt != null && attempt.over() ? attempt.ending() : null;
        return ending != null && ending.keepsNodes();
    }

    /** It keeps nodes, and others of them are lost and not replaced yet. */
    public boolean waitsForRepair() {
        return RepairDecisions.awaitsRepair(this);
    }

    Attempt attemptOrThrow() {
        return Objects.requireNonNull(attempt, "job " + head.id + " has no attempt");
    }

    /** The scheduler may hold, find, or replace GPUs for it; not while it gives back all that it had. */
    boolean wantsGpus() {
        return switch (status.phase) {
            case QUEUED, STARTING, RUNNING -> true;
            case RECOVERING -> attempt != null && !attempt.leadsTo(Ending.Follow.REQUEUE);
            case SUSPENDED, STOPPING, SUCCEEDED, FAILED, CANCELLED -> false;
        };
    }

    Job moved(JobTrigger trigger, JobReason reason, String message, Instant now) {
        return with(new Status(JobLifecycle.after(status.phase, trigger), reason, message, now, status));
    }

    /** The same state for another reason. */
    Job because(JobReason reason, String message) {
        boolean same = status.reason == reason && status.message.equals(message);
        return same ? this : with(new Status(status.phase, reason, message, status.since, status.via));
    }

    Job with(Status newStatus) {
        return new Job(head, newStatus, holding, runTime, restarts, attempt, progress, result, notes);
    }

    Job with(Holding newHolding) {
        return new Job(head, status, newHolding, runTime, restarts, attempt, progress, result, notes);
    }

    Job with(RunTime newRunTime) {
        return new Job(head, status, holding, newRunTime, restarts, attempt, progress, result, notes);
    }

    Job with(Restarts newRestarts) {
        return new Job(head, status, holding, runTime, newRestarts, attempt, progress, result, notes);
    }

    Job with(Attempt newAttempt) {
        return new Job(head, status, holding, runTime, restarts, newAttempt, progress, result, notes);
    }

    Job telling(@Nullable Progress newProgress, @Nullable Map<String, Object> newResult) {
        return new Job(head, status, holding, runTime, restarts, attempt, newProgress, newResult, notes);
    }

    Job noting(TimelineNote.Code code, String message) {
        int number = attempt == null ? 0 : attempt.number();
        TimelineNote note = new TimelineNote(status.phase, code, message, number, holding.generation);
        List<TimelineNote> all = Stream.concat(notes.stream(), Stream.of(note)).toList();
        return new Job(head, status, holding, runTime, restarts, attempt, progress, result, all);
    }
}
