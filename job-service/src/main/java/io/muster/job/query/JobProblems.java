package io.muster.job.query;

import io.muster.contract.job.JobPhase;
import io.muster.contract.problem.Problem;
import io.muster.contract.problem.Violation;
import java.util.List;

/** Refusals about jobs that exist, or do not. */
final class JobProblems {

    private JobProblems() {}

    static Problem notFound(String id) {
        String shown = id.length() > 100 ? id.substring(0, 100) + "…" : id;
        return Problem.of(
                404,
                "JOB_NOT_FOUND",
                "No such job",
                "There is no job '" + shown + "' that you can see.",
                "GET /api/v1/jobs lists yours.");
    }

    static Problem mayNotChange() {
        return Problem.of(
                403,
                "FORBIDDEN",
                "Not with this key",
                "This key may read this job but not change it.",
                "Use a key of role ENGINEER for the job's project, or ask an administrator.");
    }

    static Problem badQuery(List<Violation> violations) {
        return Problem.of(
                        400,
                        "INVALID_QUERY",
                        "The query is not understood",
                        violations.size() + " of the query's parameters cannot be used: "
                                + violations.getFirst().message(),
                        "Each is in violations.")
                .with(violations);
    }

    static Problem pageToken() {
        return badQuery(List.of(new Violation(
                "/pageToken",
                "pageToken is not one that this list has answered",
                null,
                "nextPageToken of the page before")));
    }

    static Problem noLog(JobPhase state, int attempt, int rank) {
        String what = attempt == 0
                ? "The job is " + state + " and has not been started yet."
                : "Rank " + rank + " of attempt " + attempt
                        + " has written nothing yet, or there is no such rank or attempt.";
        return Problem.of(
                404,
                "LOG_NOT_FOUND",
                "No such log",
                what,
                "Use follow=true to wait for it, or see /attempts for the attempts and ranks there are.");
    }

    static Problem tooManyFollowers(int most) {
        return Problem.of(
                503,
                "TOO_MANY_LOG_STREAMS",
                "Too many logs are being followed",
                most + " logs are being followed through this instance, the most it serves at once.",
                "Try again in a few seconds, or read without follow.");
    }
}
