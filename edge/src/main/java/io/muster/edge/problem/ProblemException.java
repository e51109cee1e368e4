package io.muster.edge.problem;

import io.muster.contract.problem.Problem;
import org.jspecify.annotations.Nullable;

/**
 * A refusal on its way out, for the edge only: thrown by clients of other services and where the framework leaves no
 * return value. A domain's expected refusals are values, answered with {@link Problems#answer}.
 */
public final class ProblemException extends RuntimeException {

    private final transient Problem problem;

    public ProblemException(Problem problem) {
        this(problem, null);
    }

    public ProblemException(Problem problem, @Nullable Throwable cause) {
        super(problem.code() + ": " + problem.detail(), cause);
        this.problem = problem;
    }

    public Problem problem() {
        return problem;
    }
}
