package io.muster.edge.problem;

import io.muster.contract.problem.Problem;
import io.muster.edge.trace.Trace;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;

/** Turns a problem into an answer: its status, its content type, the id of the request. */
public final class Problems {

    private Problems() {}

    public static ResponseEntity<Problem> answer(Problem problem) {
        return answer(problem, HttpHeaders.EMPTY);
    }

    static ResponseEntity<Problem> answer(Problem problem, HttpHeaders headers) {
        return ResponseEntity.status(problem.status())
                .headers(headers)
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .body(traced(problem));
    }

    /** The same problem with the id of the request at work, for whoever writes it without {@link #answer}. */
    public static Problem traced(Problem problem) {
        @Nullable String traceId = Trace.current();
        return problem.traceId() != null || traceId == null
                ? problem
                : new Problem(
                        problem.type(),
                        problem.title(),
                        problem.status(),
                        problem.code(),
                        problem.detail(),
                        problem.violations(),
                        problem.hint(),
                        problem.retryable(),
                        traceId);
    }

    /** Whatever went wrong inside: the log has the rest under the request's id. */
    static Problem internal() {
        return Problem.of(
                500,
                "INTERNAL_ERROR",
                "A fault in Muster",
                "Muster failed on this request; nothing in the request is known to be wrong.",
                "Give the traceId to whoever runs Muster; the log has the cause under it.");
    }

    static Problem tooLarge(long limit) {
        return Problem.of(
                413,
                "BODY_TOO_LARGE",
                "The body is too large",
                "The body is larger than " + limit + " bytes, the most that this path takes.",
                "Send less, or put large data in a file and name its place.");
    }

    static Problem unavailable(String what) {
        return Problem.of(
                503, "SERVICE_UNAVAILABLE", "A part of Muster does not answer", what, "Try again in a few seconds.");
    }

    static Problem conflict() {
        return Problem.of(
                409,
                "CONFLICT",
                "Changed by someone else meanwhile",
                "Another request changed the same thing while this one was at work; this one changed nothing.",
                "Read it again, and repeat the change if it still makes sense.");
    }
}
