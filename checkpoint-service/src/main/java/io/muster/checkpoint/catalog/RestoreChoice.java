package io.muster.checkpoint.catalog;

import io.muster.contract.checkpoint.RestoreRequest;
import io.muster.contract.checkpoint.RestoreVerdict;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Decides what an attempt starts from. Pure; what could not be found out is never FRESH.
 *
 * <ul>
 *   <li>{@code latest}: the job's newest commit in the order of commits, whatever its step. Before its first commit, what
 *       its newest attempt was restored from. A job that has neither starts FRESH.
 *   <li>{@code none}: FRESH.
 *   <li>a checkpoint id: that one, of this job or another of the same tenant and project, if it is committed. A newer
 *       commit of the job stays where it is, and the message names it.
 * </ul>
 *
 * A checkpoint of another number of ranks is refused, not skipped: an older one that fits would silently lose work.
 */
final class RestoreChoice {

    static final String LATEST = "latest";
    static final String NONE = "none";

    private RestoreChoice() {}

    /**
     * @param newestCommit of the job
     * @param base what the job's newest attempt before this one was restored from
     * @param named the checkpoint that resumeFrom names, if the job may see it
     */
    record Facts(
            @Nullable Checkpoint newestCommit,
            @Nullable Checkpoint base,
            @Nullable Checkpoint named) {}

    static AttemptStart choose(RestoreRequest request, Facts facts) {
        return switch (request.resumeFrom()) {
            case NONE -> fresh(request, "attempt " + request.attempt() + " starts fresh: resumeFrom is none");
            case LATEST -> latest(request, facts);
            default -> named(request, facts);
        };
    }

    private static AttemptStart latest(RestoreRequest request, Facts facts) {
        Checkpoint newest = facts.newestCommit() == null ? facts.base() : facts.newestCommit();
        if (newest == null) {
            return fresh(
                    request,
                    "attempt " + request.attempt() + " starts fresh: " + request.jobId()
                            + " has never committed a checkpoint");
        }
        return from(
                request,
                newest,
                newest == facts.newestCommit()
                        ? "the newest commit of " + request.jobId()
                        : "what " + request.jobId() + " was restored from before; it has committed nothing itself");
    }

    private static AttemptStart named(RestoreRequest request, Facts facts) {
        Checkpoint named = facts.named();
        if (named == null) {
            return refused(
                    request,
                    "resumeFrom is '" + request.resumeFrom() + "': there is no such checkpoint in project "
                            + request.project() + " of " + request.tenant()
                            + "; use latest, none or the id of one of its checkpoints");
        }
        Checkpoint newest = facts.newestCommit();
        if (newest == null || newest.id().equals(named.id())) {
            return from(request, named, "named by resumeFrom");
        }
        return from(
                request,
                named,
                "named by resumeFrom, although " + newest.id() + " of step " + newest.step()
                        + " is the newest commit of " + request.jobId());
    }

    private static AttemptStart from(RestoreRequest request, Checkpoint checkpoint, String why) {
        if (!checkpoint.committed()) {
            return refused(
                    request,
                    checkpoint.id() + " of step " + checkpoint.step() + " is " + checkpoint.phase()
                            + ", not COMMITTED; it cannot be restored. Name another checkpoint, or start with latest");
        }
        if (checkpoint.worldSize() != request.worldSize()) {
            return refused(
                    request,
                    checkpoint.id() + " of step " + checkpoint.step() + " was saved by " + checkpoint.worldSize()
                            + " ranks, attempt " + request.attempt() + " has " + request.worldSize()
                            + "; run with " + checkpoint.worldSize() + " ranks, or start with resumeFrom none");
        }
        return new AttemptStart(
                request.attempt(),
                request.worldSize(),
                request.resumeFrom(),
                RestoreVerdict.RESTORED,
                checkpoint.id(),
                checkpoint.step(),
                "attempt " + request.attempt() + " restores " + checkpoint.id() + " of step " + checkpoint.step() + ": "
                        + why);
    }

    private static AttemptStart fresh(RestoreRequest request, String message) {
        return new AttemptStart(
                request.attempt(), request.worldSize(), request.resumeFrom(), RestoreVerdict.FRESH, null, 0, message);
    }

    static AttemptStart refused(RestoreRequest request, String message) {
        return new AttemptStart(
                request.attempt(),
                request.worldSize(),
                Objects.requireNonNull(request.resumeFrom()),
                RestoreVerdict.REFUSED,
                null,
                0,
                message);
    }
}
