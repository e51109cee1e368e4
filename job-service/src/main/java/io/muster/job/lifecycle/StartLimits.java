package io.muster.job.lifecycle;

import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.StoredShard;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * How long an attempt may take to come up. A preflight that is not over in time is treated like one that has failed: the
 * attempt is interrupted, and health-service is asked whom it blames. Ranks that use the client and do not all say hello
 * in time fail the job, because they would hold their GPUs for nothing. A broken rank that is being looked into goes
 * first: its own cause says more.
 */
record StartLimits(Duration preflight, Duration start) {

    private static final int SHOWN = 5;
    private static final long SLOWEST_READ = 50L << 20;

    StartLimits {
        if (preflight.compareTo(Duration.ZERO) <= 0 || start.compareTo(Duration.ZERO) <= 0) {
            throw new IllegalArgumentException("muster.job.preflight-limit (" + preflight
                    + ") and muster.job.start-limit (" + start + ") must be above 0");
        }
    }

    /** Takes the step that is due because a limit has passed. */
    Job enforced(Job job, Instant now) {
        Instant end = end(job);
        if (end == null || end.isAfter(now)) {
            return job;
        }
        Attempt attempt = job.attemptOrThrow();
        if (attempt.stage() == AttemptStage.PREFLIGHT) {
            return AttemptDecisions.interrupt(job, JobReason.PREFLIGHT_FAILED, latePreflight(attempt), true, now);
        }
        Ending late = new Ending(Ending.Follow.FAIL, JobReason.START_TIMEOUT, lateStart(job, attempt));
        return AttemptDecisions.end(job, late, now);
    }

    /** When a limit passes; null if none is running. */
    @Nullable
    Instant end(Job job) {
        Attempt attempt = job.live().orElse(null);
        if (attempt == null) {
            return null;
        }
        return switch (attempt.stage()) {
            case PREFLIGHT -> attempt.course().stageSince().plus(preflightOf(attempt));
            case RUN ->
                awaitsHello(job, attempt) ? attempt.course().stageSince().plus(start) : null;
            case AWAITING_RESTORE, STOPPING, ENDED -> null;
        };
    }

    /** Besides the checks a member reads what it restores, at 50 MiB/s or faster, as its own check allows for. */
    private Duration preflightOf(Attempt attempt) {
        RestoreDecision restore = attempt.restore();
        long bytes = restore == null
                ? 0
                : restore.shards().stream().mapToLong(StoredShard::sizeBytes).sum();
        return preflight.plusSeconds(bytes / attempt.members().size() / SLOWEST_READ);
    }

    private static boolean awaitsHello(Job job, Attempt attempt) {
        return job.head().spec().runtime().client()
                && attempt.course().runningAt() == null
                && attempt.firstBadExitAt() == null;
    }

    private String latePreflight(Attempt attempt) {
        List<String> missing = attempt.members().stream()
                .filter(member -> !member.passedPreflight())
                .map(member -> member.node().value())
                .toList();
        String who = missing.isEmpty()
                ? "node " + attempt.members().getFirst().node() + " has offered no port where the ranks can meet"
                : missing.size() + " of " + attempt.members().size() + " nodes have not reported its outcome: "
                        + firstOf(missing);
        return "preflight was not over within " + preflightOf(attempt).toSeconds() + " s; " + who;
    }

    private String lateStart(Job job, Attempt attempt) {
        int processes = job.head().spec().processesPerNode();
        List<String> missing = new ArrayList<>();
        for (Member member : attempt.members()) {
            TreeSet<Integer> silent = IntStream.range(0, processes)
                    .map(local -> member.nodeRank() * processes + local)
                    .boxed()
                    .collect(Collectors.toCollection(TreeSet::new));
            member.ranks().stream().filter(rank -> rank.clientReady()).forEach(rank -> silent.remove(rank.rank()));
            silent.forEach(rank -> missing.add(rank + " (node " + member.node() + ")"));
        }
        return missing.size() + " of " + attempt.members().size() * processes
                + " ranks have not said hello through the client within " + start.toSeconds()
                + " s after they were told to start: rank " + firstOf(missing)
                + ". See their logs; a program that does not use the client needs runtime.client: false";
    }

    private static String firstOf(List<String> names) {
        String first = names.stream().limit(SHOWN).collect(Collectors.joining(", "));
        return names.size() > SHOWN ? first + " and " + (names.size() - SHOWN) + " more" : first;
    }
}
