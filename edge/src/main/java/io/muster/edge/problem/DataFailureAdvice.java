package io.muster.edge.problem;

import io.muster.contract.problem.Problem;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.NonTransientDataAccessResourceException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** A lost race is 409; a database that is away or overloaded is 503, which the caller may try again. */
@RestControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE - 10)
final class DataFailureAdvice {

    private static final Logger log = LoggerFactory.getLogger(DataFailureAdvice.class);

    @ExceptionHandler(OptimisticLockingFailureException.class)
    ResponseEntity<Problem> lostRace(OptimisticLockingFailureException e) {
        log.info("a concurrent change won: {}", e.getMessage());
        return Problems.answer(Problems.conflict());
    }

    @ExceptionHandler({
        DataAccessResourceFailureException.class,
        NonTransientDataAccessResourceException.class,
        TransientDataAccessException.class,
        CannotCreateTransactionException.class,
        TransactionSystemException.class
    })
    ResponseEntity<Problem> databaseAway(RuntimeException e) {
        log.warn("the database does not answer: {}", e.getMessage());
        return Problems.answer(Problems.unavailable("The database of this service does not answer."));
    }
}
