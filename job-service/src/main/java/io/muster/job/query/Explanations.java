package io.muster.job.query;

import io.muster.contract.scheduling.Explanation;
import io.muster.job.lifecycle.Job;
import io.muster.job.neighbour.Answer;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Why a job does not run: the scheduler's own words while it waits, else what it is doing. */
final class Explanations {

    private Explanations() {}

    static Explanation queued(Job job, Answer<Optional<Explanation>> answer, Instant now) {
        return switch (answer) {
            case Answer.Given<Optional<Explanation>>(Optional<Explanation> explanation) ->
                explanation.orElseGet(() -> of(
                        job,
                        "NOT_EVALUATED_YET",
                        "WAIT",
                        "the scheduler has not looked at this job yet; "
                                + job.status().message(),
                        "Look again in a few seconds.",
                        now));
            case Answer.Missing<Optional<Explanation>>(String why) ->
                of(
                        job,
                        "SCHEDULER_DEGRADED",
                        "PLATFORM",
                        "why the job waits is not known at the moment: " + why,
                        "Nothing is lost: the job is stored and will be placed when the scheduler is back.",
                        now);
        };
    }

    /** Its lost nodes are not replaced yet; the scheduler knows why, if it has looked already. */
    static Explanation wounded(Job job, Answer<Optional<Explanation>> answer, Instant now) {
        return switch (answer) {
            case Answer.Given<Optional<Explanation>>(Optional<Explanation> explanation) ->
                explanation.orElseGet(() -> notWaiting(job, now));
            case Answer.Missing<Optional<Explanation>> missing -> queued(job, answer, now);
        };
    }

    static Explanation notWaiting(Job job, Instant now) {
        String hint = switch (job.phase()) {
            case QUEUED, STARTING -> "Nothing to do; /timeline shows each step.";
            case RUNNING -> "Nothing to do; /logs and /attempts show how it goes.";
            case RECOVERING, STOPPING -> "Nothing to do; /attempts shows what is still running where.";
            case SUSPENDED -> "It comes back by itself when there is room.";
            case SUCCEEDED, CANCELLED -> "Submit effectiveSpec again to run it once more.";
            case FAILED -> "See /logs and /attempts; correct the cause and submit effectiveSpec again.";
        };
        return of(
                job,
                job.status().reason().name(),
                "NOT_WAITING",
                "the job is " + job.phase() + ": " + job.status().message(),
                hint,
                now);
    }

    private static Explanation of(Job job, String reason, String category, String sentence, String hint, Instant now) {
        Map<String, Long> numbers = new LinkedHashMap<>();
        numbers.put("requestedNodes", (long) job.head().spec().gang().nodes());
        numbers.put("requestedGpus", (long) job.head().spec().gang().gpus());
        return new Explanation(reason, category, List.of(), List.of(), numbers, sentence, hint, now);
    }
}
