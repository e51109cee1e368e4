package io.muster.checkpoint.pace;

import io.muster.contract.problem.Problem;
import io.muster.contract.problem.Violation;
import io.muster.edge.problem.Problems;
import java.util.ArrayList;
import java.util.List;
import org.springframework.http.ResponseEntity;

/** Ranges of what a member asks with. */
final class PlanRequest {

    private static final long MAX_STEP = 1_000_000_000_000_000L;
    private static final long MAX_INTERVAL_SECONDS = 30 * 24 * 3_600;

    private PlanRequest() {}

    static boolean outOfRange(long step, long intervalSeconds) {
        return step < 0 || step > MAX_STEP || intervalSeconds < 1 || intervalSeconds > MAX_INTERVAL_SECONDS;
    }

    static ResponseEntity<?> refusal(long step, long intervalSeconds) {
        List<Violation> violations = new ArrayList<>();
        if (step < 0 || step > MAX_STEP) {
            violations.add(new Violation("/step", "step is " + step, Long.toString(step), "0 to " + MAX_STEP));
        }
        if (intervalSeconds < 1 || intervalSeconds > MAX_INTERVAL_SECONDS) {
            violations.add(new Violation(
                    "/intervalSeconds",
                    "an interval of " + intervalSeconds + " s",
                    Long.toString(intervalSeconds),
                    "1 to " + MAX_INTERVAL_SECONDS));
        }
        return Problems.answer(Problem.of(
                        400,
                        "INVALID_PARAMETER",
                        "A parameter is not right",
                        violations.size() + " of the parameters cannot be used.",
                        "Correct every entry of violations.")
                .with(violations));
    }
}
