package io.muster.checkpoint.catalog;

import io.muster.contract.checkpoint.ReportShards;
import io.muster.contract.checkpoint.ReserveCheckpoint;
import io.muster.contract.checkpoint.RestoreRequest;
import io.muster.contract.problem.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Forms and ranges of what agents and job-service send, everything wrong at once. */
final class RequestRules {

    /** More ranks than any gang has. */
    static final int MAX_WORLD_SIZE = 1_000_000;

    /** More than one attempt can be told of. */
    static final int MAX_DAMAGED = 100;

    private final List<Violation> violations = new ArrayList<>();

    private RequestRules() {}

    static List<Violation> of(RestoreRequest request) {
        var rules = new RequestRules();
        rules.present("/jobId", request.jobId());
        rules.present("/tenant", request.tenant());
        rules.present("/project", request.project());
        rules.present("/resumeFrom", request.resumeFrom());
        rules.range("/attempt", request.attempt(), 1, Integer.MAX_VALUE);
        rules.range("/worldSize", request.worldSize(), 1, MAX_WORLD_SIZE);
        rules.range("/damaged", request.damaged().size(), 0, MAX_DAMAGED);
        return rules.violations;
    }

    static List<Violation> of(ReserveCheckpoint request) {
        var rules = new RequestRules();
        rules.present("/jobId", request.jobId());
        rules.range("/attempt", request.attempt(), 1, Integer.MAX_VALUE);
        rules.range("/step", request.step(), 1, Long.MAX_VALUE);
        rules.range("/worldSize", request.worldSize(), 1, MAX_WORLD_SIZE);
        return rules.violations;
    }

    static List<Violation> of(ReportShards request) {
        var rules = new RequestRules();
        rules.present("/jobId", request.jobId());
        rules.range("/attempt", request.attempt(), 1, Integer.MAX_VALUE);
        rules.range("/step", request.step(), 1, Long.MAX_VALUE);
        return rules.violations;
    }

    private void present(String pointer, @Nullable Object value) {
        if (Objects.isNull(value)) {
            violations.add(new Violation(pointer, pointer.substring(1) + " is missing", null, "a value"));
        }
    }

    private void range(String pointer, long value, long least, long most) {
        if (value < least || value > most) {
            violations.add(new Violation(
                    pointer,
                    pointer.substring(1) + " is " + value,
                    Long.toString(value),
                    most == Long.MAX_VALUE ? least + " or more" : least + " to " + most));
        }
    }
}
