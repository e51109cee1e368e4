package io.muster.checkpoint.catalog;

import io.muster.contract.checkpoint.CheckpointPhase;
import io.muster.contract.checkpoint.ReserveCheckpoint;
import io.muster.contract.checkpoint.RestoreVerdict;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a checkpoint may be begun. Pure. The first rule that refuses wins:
 *
 * <ol>
 *   <li>only the attempt at the fence acts: an earlier one is fenced for ever, a later one has not been told where to
 *       start yet and may ask again;
 *   <li>an attempt whose restore was refused saves nothing;
 *   <li>every rank of the attempt takes part;
 *   <li>what was reserved for the step already is the answer, unless it was abandoned;
 *   <li>steps rise: above what the attempt was restored from, and above its newest commit.
 * </ol>
 */
final class ReserveRules {

    private ReserveRules() {}

    sealed interface Reservation {

        /** There is none for this step yet. */
        record Open() implements Reservation {}

        /** Reserved before, by this or another member. */
        record Known(Checkpoint checkpoint) implements Reservation {}

        /** A later attempt has begun. */
        record Fenced(String message) implements Reservation {}

        record Refused(String message, boolean retryable) implements Reservation {}
    }

    /**
     * @param head null if the job has never asked where to start
     * @param start what the attempt was told to start from
     * @param known the checkpoint of this attempt and step
     * @param newestCommit of this attempt
     */
    static Reservation judge(
            ReserveCheckpoint request,
            @Nullable JobHead head,
            @Nullable AttemptStart start,
            @Nullable Checkpoint known,
            @Nullable Checkpoint newestCommit) {
        int fence = head == null ? 0 : head.fence();
        if (request.attempt() < fence) {
            return new Reservation.Fenced(Fence.passed(request.jobId(), request.attempt(), fence));
        }
        if (request.attempt() > fence || start == null) {
            return new Reservation.Refused(Fence.notBegun(request.jobId(), request.attempt(), fence), true);
        }
        if (start.verdict() == RestoreVerdict.REFUSED) {
            return new Reservation.Refused(
                    "attempt " + request.attempt() + " may not start, so it saves nothing: " + start.message(), false);
        }
        if (request.worldSize() != start.worldSize()) {
            return new Reservation.Refused(
                    "attempt " + request.attempt() + " has " + start.worldSize() + " ranks, the checkpoint of step "
                            + request.step() + " would have " + request.worldSize(),
                    false);
        }
        if (known != null) {
            return known.phase() == CheckpointPhase.ABANDONED
                    ? new Reservation.Refused(
                            known.id() + " of step " + known.step() + " was abandoned: " + known.reason()
                                    + ". Save at a later step",
                            false)
                    : new Reservation.Known(known);
        }
        return steps(request, start, newestCommit);
    }

    private static Reservation steps(ReserveCheckpoint request, AttemptStart start, @Nullable Checkpoint newestCommit) {
        if (newestCommit != null && request.step() <= newestCommit.step()) {
            return new Reservation.Refused(
                    "step " + request.step() + " is not after step " + newestCommit.step() + ", which attempt "
                            + request.attempt() + " has committed as " + newestCommit.id(),
                    false);
        }
        if (request.step() <= start.step()) {
            return new Reservation.Refused(
                    "step " + request.step() + " is not after step " + start.step() + ", from which attempt "
                            + request.attempt() + " started",
                    false);
        }
        return new Reservation.Open();
    }
}
