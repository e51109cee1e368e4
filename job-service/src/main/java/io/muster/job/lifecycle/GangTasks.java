package io.muster.job.lifecycle;

import io.muster.contract.agent.Assignment;
import io.muster.contract.agent.AssignmentAction;
import io.muster.contract.agent.CheckpointPlan;
import io.muster.contract.agent.GangMember;
import io.muster.contract.agent.GangTask;
import io.muster.contract.agent.Launch;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.id.NodeId;
import io.muster.job.spec.JobSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What each node shall do for an attempt. A node hears of it from PREFLIGHT on and until its agent has confirmed that
 * all is gone; a lost node therefore keeps its STOP until it comes back and says so.
 */
final class GangTasks {

    static final int STOP_GRACE_SECONDS = 5;

    private GangTasks() {}

    /** Empty if nothing about this attempt is asked of the node. */
    static Optional<Assignment> assignment(Job.Head head, Attempt attempt, Member member, PeerKeys keys) {
        if (member.gone()) {
            return Optional.empty();
        }
        return switch (attempt.stage()) {
            case AWAITING_RESTORE -> Optional.empty();
            case PREFLIGHT ->
                Optional.of(assigned(head, attempt, AssignmentAction.PREFLIGHT, task(head, attempt, member, keys)));
            case RUN -> Optional.of(assigned(head, attempt, AssignmentAction.RUN, task(head, attempt, member, keys)));
            case STOPPING, ENDED -> Optional.of(assigned(head, attempt, AssignmentAction.STOP, null));
        };
    }

    /** Nodes whose assignment differs between two moments of one job, in the order of their ids. */
    static List<NodeId> touched(Job before, Job after) {
        Attempt attempt = after.attempt();
        if (attempt == null || attempt.equals(before.attempt())) {
            return List.of();
        }
        Attempt known =
                before.attempt() != null && before.attempt().number() == attempt.number() ? before.attempt() : null;
        List<NodeId> touched = new ArrayList<>();
        for (int i = 0; i < attempt.members().size(); i++) {
            Member member = attempt.members().get(i);
            AssignmentAction action = action(attempt, member);
            AssignmentAction knownAction =
                    known == null ? null : action(known, known.members().get(i));
            if (action != knownAction) {
                touched.add(member.node());
            }
        }
        return touched.stream().sorted().toList();
    }

    private static @Nullable AssignmentAction action(Attempt attempt, Member member) {
        if (member.gone()) {
            return null;
        }
        return switch (attempt.stage()) {
            case AWAITING_RESTORE -> null;
            case PREFLIGHT -> AssignmentAction.PREFLIGHT;
            case RUN -> AssignmentAction.RUN;
            case STOPPING, ENDED -> AssignmentAction.STOP;
        };
    }

    private static Assignment assigned(
            Job.Head head, Attempt attempt, AssignmentAction action, @Nullable GangTask task) {
        return new Assignment(head.id(), attempt.number(), attempt.generation(), action, task);
    }

    private static GangTask task(Job.Head head, Attempt attempt, Member self, PeerKeys keys) {
        JobSpec spec = head.spec();
        JobSpec.Runtime runtime = spec.runtime();
        List<GangMember> gang = attempt.members().stream()
                .map(member -> new GangMember(
                        member.nodeRank(),
                        member.node(),
                        Objects.requireNonNull(member.address()),
                        member.door().port(),
                        member.door().rack()))
                .toList();
        RestoreDecision restore = Objects.requireNonNull(attempt.restore());
        return new GangTask(
                head.tenant(),
                head.project(),
                spec.name(),
                self.nodeRank(),
                gang,
                self.gpus(),
                spec.resources().processesPerNode(),
                new Launch(
                        runtime.command(),
                        runtime.args(),
                        runtime.workingDir(),
                        runtime.env(),
                        runtime.envProfile(),
                        runtime.client()),
                plan(head),
                restore,
                attempt.rendezvous(),
                STOP_GRACE_SECONDS,
                keys.of(head.id()));
    }

    /** The agent puts the shards below {@code checkpoints/FOLDER/TENANT/JOB}: no uri reaches what is another's. */
    private static @Nullable CheckpointPlan plan(Job.Head head) {
        JobSpec.Checkpoint checkpoint = head.spec().checkpoint();
        return checkpoint == null
                ? null
                : new CheckpointPlan(
                        checkpoint.folder(),
                        checkpoint.interval().everySteps(),
                        checkpoint.interval().everySeconds());
    }
}
