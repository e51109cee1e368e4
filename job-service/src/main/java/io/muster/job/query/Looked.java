package io.muster.job.query;

import io.muster.contract.problem.Problem;
import io.muster.edge.problem.Problems;
import java.util.function.Function;
import org.springframework.http.ResponseEntity;

/** What a person asked to see, or why not. */
sealed interface Looked<T> {

    record Seen<T>(T value) implements Looked<T> {}

    record Refused<T>(Problem problem) implements Looked<T> {}

    default ResponseEntity<?> answer(Function<T, ResponseEntity<?>> shown) {
        return switch (this) {
            case Seen<T>(T value) -> shown.apply(value);
            case Refused<T>(Problem problem) -> Problems.answer(problem);
        };
    }
}
