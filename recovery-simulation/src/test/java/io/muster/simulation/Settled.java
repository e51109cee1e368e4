package io.muster.simulation;

import io.muster.contract.job.JobPhase;
import io.muster.contract.placement.PlacementState;
import io.muster.job.lifecycle.Job;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Whether a schedule has come to rest, and if not, what is stuck. */
final class Settled {

    private Settled() {}

    /** Empty when every job has ended and left nothing, or waits for room that is not there. */
    static Optional<Supplier<String>> explain(
            Collection<Job> jobs, Predicate<Job> placeable, List<PlacementState> live, World world) {
        for (Job job : jobs) {
            if (job.phase().ended()) {
                Optional<Supplier<String>> left = left(job, live, world);
                if (left.isPresent()) {
                    return left;
                }
            } else if (job.phase() != JobPhase.QUEUED || placeable.test(job)) {
                return Optional.of(() ->
                        job.id() + " is " + job.phase() + " (" + job.status().reason() + ": "
                                + job.status().message() + ") and gets no further; attempt " + job.attempt());
            }
        }
        return Optional.empty();
    }

    private static Optional<Supplier<String>> left(Job job, List<PlacementState> live, World world) {
        for (PlacementState state : live) {
            if (state.jobId().equals(job.id())) {
                return Optional.of(() -> job.id() + " is " + job.phase() + " and still holds " + state);
            }
        }
        for (Machine machine : world.machines()) {
            for (Proc proc : world.living(machine)) {
                if (proc.key.job().equals(job.id())) {
                    return Optional.of(() -> job.id() + " is " + job.phase() + " and " + proc + " still lives");
                }
            }
        }
        return Optional.empty();
    }
}
