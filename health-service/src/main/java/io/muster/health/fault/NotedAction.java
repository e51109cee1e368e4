package io.muster.health.fault;

import io.muster.contract.fault.FaultAction;
import io.muster.contract.id.JobId;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An action and whose business it is.
 *
 * @param job null: everybody's who sees the fault
 */
record NotedAction(FaultAction action, @Nullable JobId job) {

    boolean sameAs(NotedAction other) {
        return action.action().equals(other.action.action())
                && action.message().equals(other.action.message())
                && Objects.equals(job, other.job);
    }
}
