package io.muster.agent.desired;

import io.muster.agent.attempt.AttemptKey;
import io.muster.contract.agent.Assignment;
import io.muster.contract.agent.GangTask;

/** One step towards the desired state. */
sealed interface Action {

    /** Take the attempt in and run its preflight. */
    record Begin(Assignment assignment) implements Action {}

    /** Start the ranks of a passed preflight. */
    record Run(Assignment assignment) implements Action {}

    /** End all its processes, because the order says so or because a higher attempt is to start. */
    record Stop(AttemptKey key) implements Action {}

    /** It is to be gone and is not known here: make sure, then say so. */
    record ConfirmGone(Assignment assignment) implements Action {}

    /** It is to run and is not known here: its ranks are lost. */
    record DeclareLost(Assignment assignment, GangTask task) implements Action {}

    /** Nothing of it is needed any more. */
    record Forget(AttemptKey key) implements Action {}
}
