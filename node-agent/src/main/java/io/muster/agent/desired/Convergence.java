package io.muster.agent.desired;

import io.muster.agent.attempt.AttemptKey;
import io.muster.contract.agent.Assignment;
import io.muster.contract.agent.AssignmentAction;
import io.muster.contract.agent.GangTask;
import io.muster.contract.agent.MemberPhase;
import io.muster.contract.id.JobId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What to do so that this node becomes what is desired. Level-triggered: the same inputs give the same actions, done
 * ones vanish. Ranks are ended only for a STOP of their attempt or a start of a higher attempt of their job; an attempt
 * that is not named is left alone. A higher attempt begins only when every lower one of its job is gone here; a lower
 * one never begins beside a higher one. No attempt begins on GPUs on which one of another job may still have processes:
 * a node that was given up for lost comes back with what ran on it, and its GPUs may be another's before that is ended.
 */
final class Convergence {

    private Convergence() {}

    static List<Action> decide(List<Assignment> desired, List<LocalAttempt> local) {
        Map<AttemptKey, LocalAttempt> known = new TreeMap<>();
        local.forEach(attempt -> known.put(attempt.key(), attempt));
        Map<JobId, Integer> highestStart = new TreeMap<>();
        for (Assignment assignment : desired) {
            if (assignment.action() != AssignmentAction.STOP) {
                highestStart.merge(assignment.jobId(), assignment.attempt(), Math::max);
            }
        }
        List<Action> actions = new ArrayList<>();
        for (LocalAttempt attempt : known.values()) {
            Integer higher = highestStart.get(attempt.key().job());
            if (higher != null && higher > attempt.key().attempt() && !attempt.ending()) {
                actions.add(new Action.Stop(attempt.key()));
            }
        }
        List<Assignment> ordered =
                desired.stream().sorted(Comparator.comparing(AttemptKey::of)).toList();
        for (Assignment assignment : ordered) {
            if (assignment.action() == AssignmentAction.STOP) {
                end(assignment, known, highestStart, actions);
            } else if (assignment.attempt() == highestStart.getOrDefault(assignment.jobId(), 0)) {
                advance(assignment, known, actions);
            }
        }
        Set<AttemptKey> named = desired.stream().map(AttemptKey::of).collect(Collectors.toSet());
        known.values().stream()
                .filter(attempt -> attempt.forgettable() && !named.contains(attempt.key()))
                .forEach(attempt -> actions.add(new Action.Forget(attempt.key())));
        return actions;
    }

    private static void end(
            Assignment assignment,
            Map<AttemptKey, LocalAttempt> known,
            Map<JobId, Integer> highestStart,
            List<Action> actions) {
        LocalAttempt attempt = known.get(AttemptKey.of(assignment));
        boolean superseded = highestStart.getOrDefault(assignment.jobId(), 0) > assignment.attempt();
        if (attempt == null) {
            actions.add(new Action.ConfirmGone(assignment));
        } else if (!attempt.ending() && !superseded) {
            actions.add(new Action.Stop(attempt.key()));
        }
    }

    private static void advance(Assignment assignment, Map<AttemptKey, LocalAttempt> known, List<Action> actions) {
        AttemptKey key = AttemptKey.of(assignment);
        GangTask task = assignment.task();
        LocalAttempt attempt = known.get(key);
        if (task == null || known.values().stream().anyMatch(other -> inTheWay(other, key, task))) {
            return;
        }
        if (attempt == null) {
            actions.add(
                    assignment.action() == AssignmentAction.PREFLIGHT
                            ? new Action.Begin(assignment)
                            : new Action.DeclareLost(assignment, task));
        } else if (assignment.action() == AssignmentAction.RUN
                && attempt.phase() == MemberPhase.PREFLIGHT_PASSED
                && task.rendezvous() != null) {
            actions.add(new Action.Run(assignment));
        }
    }

    private static boolean inTheWay(LocalAttempt other, AttemptKey key, GangTask task) {
        if (!other.key().job().equals(key.job())) {
            return other.mayUse(task.gpus());
        }
        return other.key().attempt() > key.attempt()
                || (other.key().attempt() < key.attempt() && other.phase() != MemberPhase.GONE);
    }
}
