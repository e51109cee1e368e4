package io.muster.quota.ledger;

import io.muster.contract.id.JobId;
import io.muster.contract.problem.Problem;
import io.muster.edge.problem.Problems;
import java.util.Optional;
import java.util.function.Function;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;

/** How the outcomes of this feature look as HTTP. */
final class UsageAnswers {

    static final String CSV = "text/csv";

    private UsageAnswers() {}

    static ResponseEntity<?> json(UsageAnswer answer) {
        return of(answer, ResponseEntity::ok);
    }

    static ResponseEntity<?> csv(UsageAnswer answer) {
        return of(
                answer,
                report -> ResponseEntity.ok()
                        .contentType(MediaType.parseMediaType(CSV + ";charset=UTF-8"))
                        .body(report.csv()));
    }

    private static ResponseEntity<?> of(UsageAnswer answer, Function<UsageReport, ResponseEntity<?>> good) {
        return switch (answer) {
            case UsageAnswer.Report(var report) -> good.apply(report);
            case UsageAnswer.Wrong(var violations) ->
                Problems.answer(Problem.of(
                                400,
                                "INVALID_PARAMETER",
                                "A parameter is not right",
                                violations.size() + " of the parameters cannot be used.",
                                "Correct every entry of violations.")
                        .with(violations));
            case UsageAnswer.TooMany(var question, int most) ->
                Problems.answer(Problem.of(
                        400,
                        "TOO_MANY_LINES",
                        "The answer would be too long",
                        "From " + question.from() + " to " + question.to() + " there are more than " + most
                                + " lines by " + question.groupBy().word() + ".",
                        "Ask for a shorter time, or group by project, queue or tenant."));
        };
    }

    static Optional<JobId> job(String id) {
        try {
            return Optional.of(new JobId(id));
        } catch (IllegalArgumentException notAJobId) {
            return Optional.empty();
        }
    }

    static ResponseEntity<?> unknownJob(String id) {
        return Problems.answer(Problem.of(
                404,
                "JOB_NOT_FOUND",
                "There is no such job, or it has held nothing yet",
                "No GPU was ever held by a job '" + id + "' that you may see.",
                "GET /api/v1/jobs lists your jobs; a job costs nothing before it has been placed."));
    }
}
