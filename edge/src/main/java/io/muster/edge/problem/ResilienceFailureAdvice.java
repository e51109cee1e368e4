package io.muster.edge.problem;

import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.muster.contract.problem.Problem;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** An open circuit breaker is 503 and names what it guards. */
@RestControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE - 10)
final class ResilienceFailureAdvice {

    @ExceptionHandler(CallNotPermittedException.class)
    ResponseEntity<Problem> open(CallNotPermittedException e) {
        return Problems.answer(Problems.unavailable(
                "Calls to '" + e.getCausingCircuitBreakerName() + "' fail at present and are not tried for a moment."));
    }
}
