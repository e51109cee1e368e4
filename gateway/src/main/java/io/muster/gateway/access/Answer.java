package io.muster.gateway.access;

import io.muster.contract.problem.Problem;
import io.muster.edge.problem.Problems;
import java.util.function.Function;
import org.springframework.http.ResponseEntity;

/** What a use case answers: its result, or why not. */
sealed interface Answer<T> {

    record Granted<T>(T value) implements Answer<T> {}

    record Refused<T>(Problem problem) implements Answer<T> {}

    default ResponseEntity<?> toResponse(Function<T, ResponseEntity<?>> granted) {
        return switch (this) {
            case Granted<T>(T value) -> granted.apply(value);
            case Refused<T>(Problem problem) -> Problems.answer(problem);
        };
    }
}
