package io.muster.health.preflight;

import io.muster.contract.problem.Problem;

/** What became of a preflight report. */
sealed interface ReportAnswer {

    record Taken() implements ReportAnswer {}

    record Refused(Problem problem) implements ReportAnswer {}
}
