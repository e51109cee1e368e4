package io.muster.checkpoint.catalog;

import io.muster.contract.checkpoint.RestoreRequest;
import io.muster.contract.checkpoint.RestoreVerdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides what an attempt starts from. Pure; what could not be found out is never FRESH.
 *
 * <ul>
 *   <li>{@code latest}: the newest commit along the job's lineage that can be restored, in the order of commits, whatever
 *       its step. Those that cannot (CORRUPT, or only in memory and every copy of a rank gone) are passed over and named.
 *       After them what the lineage began from; if that can no longer be restored, the start is refused, for a person
 *       chose it. A lineage that began from nothing and has nothing left starts FRESH, and says which were there.
 *   <li>{@code none}: FRESH.
 *   <li>a checkpoint id: that one, of this job or another of the same tenant and project, if it can be restored.
 * </ul>
 *
 * <p>A checkpoint of another number of ranks is refused, not skipped: an older one that fits would silently lose work. A
 * start that is older than the newest commit says so, with both ids and the time between them, and names it as
 * {@link AttemptStart#newer()}, which raises the alarm; the newer one stays where it is.
 */
final class RestoreChoice {

    static final String LATEST = "latest";
    static final String NONE = "none";

    private static final int NAMED_AT_MOST = 5;

    private RestoreChoice() {}

    /**
     * @param line the commits of the job's lineage, the newest first, at least down to the newest that can be restored
     * @param newest of all the job's commits, whatever became of it
     * @param origin the start that the lineage began with, if it was not {@code latest}
     * @param base the checkpoint of another job that it began from
     * @param named the checkpoint that resumeFrom names, if the job may see it
     * @param newestOfNamed the newest commit of the job that saved it
     */
    record Facts(
            List<Candidate> line,
            @Nullable Checkpoint newest,
            @Nullable AttemptStart origin,
            @Nullable Candidate base,
            @Nullable Candidate named,
            @Nullable Checkpoint newestOfNamed) {

        Facts {
            line = List.copyOf(line);
        }
    }

    static AttemptStart choose(RestoreRequest request, Facts facts) {
        return switch (request.resumeFrom()) {
            case NONE -> none(request, facts);
            case LATEST -> latest(request, facts);
            default -> named(request, facts);
        };
    }

    private static AttemptStart none(RestoreRequest request, Facts facts) {
        Checkpoint newest = facts.newest();
        String message = "attempt " + request.attempt() + " starts fresh: resumeFrom is none";
        return fresh(
                request,
                newest,
                newest == null ? message : message + ", although " + inWords(newest) + " is the newest commit");
    }

    private static AttemptStart latest(RestoreRequest request, Facts facts) {
        List<Candidate> passedOver = new ArrayList<>();
        for (Candidate candidate : facts.line()) {
            if (candidate.unusable() == null) {
                return alongTheLine(request, facts, candidate.checkpoint(), passedOver);
            }
            passedOver.add(candidate);
        }
        Candidate base = facts.base();
        if (base == null) {
            return nothingLeft(request, facts, passedOver);
        }
        String unusable = base.unusable();
        if (unusable != null) {
            return refused(
                    request,
                    request.jobId() + " began from " + inWords(base.checkpoint())
                            + ", which cannot be restored any more ("
                            + unusable + "), and has nothing newer" + named(passedOver)
                            + ". Start it from another checkpoint, or with resumeFrom none");
        }
        return from(
                request,
                base.checkpoint(),
                facts.newest(),
                "what " + request.jobId() + " was restored from before; "
                        + (passedOver.isEmpty() ? "it has committed nothing itself" : "nothing of its own is left")
                        + named(passedOver));
    }

    private static AttemptStart alongTheLine(
            RestoreRequest request, Facts facts, Checkpoint chosen, List<Candidate> passedOver) {
        Checkpoint newest = facts.newest();
        if (newest == null || newest.id().equals(chosen.id())) {
            return from(request, chosen, null, "the newest commit of " + request.jobId());
        }
        AttemptStart origin = facts.origin();
        boolean besideTheLine = facts.line().stream()
                .noneMatch(candidate -> candidate.checkpoint().id().equals(newest.id()));
        String why = besideTheLine && origin != null
                ? "attempt " + origin.attempt() + " was told to start from " + origin.checkpointId()
                        + ", and this is the newest commit since" + named(passedOver)
                : "the newest that can be restored" + named(passedOver);
        return from(request, chosen, newest, why);
    }

    private static AttemptStart nothingLeft(RestoreRequest request, Facts facts, List<Candidate> passedOver) {
        String start = "attempt " + request.attempt() + " starts fresh: ";
        if (facts.newest() == null) {
            return fresh(request, null, start + request.jobId() + " has never committed a checkpoint");
        }
        return fresh(
                request,
                facts.newest(),
                start + "no commit of " + request.jobId() + " can be restored any more" + named(passedOver));
    }

    private static AttemptStart named(RestoreRequest request, Facts facts) {
        Candidate named = facts.named();
        if (named == null) {
            return refused(
                    request,
                    "resumeFrom is '" + request.resumeFrom() + "': there is no such checkpoint in project "
                            + request.project() + " of " + request.tenant()
                            + "; use latest, none or the id of one of its checkpoints");
        }
        Checkpoint chosen = named.checkpoint();
        String unusable = named.unusable();
        if (unusable != null) {
            return refused(
                    request,
                    inWords(chosen) + " is named by resumeFrom, but cannot be restored (" + unusable
                            + "). Name another checkpoint, or start with latest");
        }
        Checkpoint newest = facts.newest() == null ? facts.newestOfNamed() : facts.newest();
        return from(
                request,
                chosen,
                newest == null || newest.id().equals(chosen.id()) ? null : newest,
                "named by resumeFrom");
    }

    /** @param newer the newest commit, if that is not what is restored */
    private static AttemptStart from(
            RestoreRequest request, Checkpoint chosen, @Nullable Checkpoint newer, String why) {
        if (chosen.worldSize() != request.worldSize()) {
            return refused(
                    request,
                    inWords(chosen) + " was saved by " + chosen.worldSize() + " ranks, attempt " + request.attempt()
                            + " has " + request.worldSize() + "; run with " + chosen.worldSize()
                            + " ranks, or start with resumeFrom none");
        }
        String message = "attempt " + request.attempt() + " restores " + inWords(chosen) + ": " + why;
        return new AttemptStart(
                request.attempt(),
                request.worldSize(),
                request.resumeFrom(),
                RestoreVerdict.RESTORED,
                chosen.id(),
                chosen.step(),
                newer == null ? null : newer.id(),
                newer == null ? message : message + "; " + loss(chosen, newer));
    }

    private static String loss(Checkpoint chosen, Checkpoint newer) {
        Duration lost = lost(chosen, newer);
        return "this is although " + inWords(newer) + " is the newest commit of " + newer.jobId() + ": "
                + lost.toHours() + " h " + lost.toMinutesPart() + " min " + lost.toSecondsPart()
                + " s of committed work are given up; " + newer.id() + " stays where it is";
    }

    /** The time between two commits; zero if the first is the later one, which happens between jobs. */
    static Duration lost(Checkpoint chosen, Checkpoint newer) {
        Duration between =
                Duration.between(Objects.requireNonNull(chosen.endedAt()), Objects.requireNonNull(newer.endedAt()));
        return between.isNegative() ? Duration.ZERO : between;
    }

    /** Those that were passed over, with the reason of each. */
    private static String named(List<Candidate> passedOver) {
        if (passedOver.isEmpty()) {
            return "";
        }
        String first = passedOver.stream()
                .limit(NAMED_AT_MOST)
                .map(candidate -> inWords(candidate.checkpoint()) + " (" + candidate.unusable() + ")")
                .collect(Collectors.joining(", "));
        int more = passedOver.size() - NAMED_AT_MOST;
        return "; passed over: " + first + (more > 0 ? " and " + more + " older ones" : "");
    }

    private static String inWords(Checkpoint checkpoint) {
        return checkpoint.id() + " of step " + checkpoint.step();
    }

    private static AttemptStart fresh(RestoreRequest request, @Nullable Checkpoint newer, String message) {
        return new AttemptStart(
                request.attempt(),
                request.worldSize(),
                request.resumeFrom(),
                RestoreVerdict.FRESH,
                null,
                0,
                newer == null ? null : newer.id(),
                message);
    }

    static AttemptStart refused(RestoreRequest request, String message) {
        return new AttemptStart(
                request.attempt(),
                request.worldSize(),
                Objects.requireNonNull(request.resumeFrom()),
                RestoreVerdict.REFUSED,
                null,
                0,
                null,
                message);
    }
}
