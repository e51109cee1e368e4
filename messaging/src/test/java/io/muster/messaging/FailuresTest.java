package io.muster.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.util.List;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.UnexpectedRollbackException;

class FailuresTest {

    @Test
    void brokenInfrastructureIsToldFromBugs() {
        List<RuntimeException> infrastructure = List.of(
                new DataAccessResourceFailureException("gone"),
                new CannotGetJdbcConnectionException("pool empty", new SQLException("x")),
                new CannotCreateTransactionException("no connection"),
                new CannotAcquireLockException("deadlock"),
                new OptimisticLockingFailureException("another was faster"),
                new TransactionSystemException("commit", new SQLException("terminated", "57P01")),
                new UncategorizedSQLException("task", "sql", new SQLException("starting up", "57P03")),
                new IllegalStateException(new SQLException("broken pipe", "08006")),
                new IllegalStateException(new UncheckedIOException(new IOException("reset"))),
                new TransactionSystemException("JDBC rollback failed", new SQLException("Connection is closed")),
                rollbackFailedAfter(new DataAccessResourceFailureException("gone")),
                new TimeoutException("broker"));
        List<RuntimeException> bugs = List.of(
                new IllegalStateException("bug"),
                new NullPointerException(),
                new DataIntegrityViolationException("duplicate", new SQLException("duplicate key", "23505")),
                new UncategorizedSQLException("task", "sql", new SQLException("bad syntax", "42601")),
                new TransactionSystemException("commit", new IllegalArgumentException("not valid")),
                rollbackFailedAfter(new IllegalStateException("bug")),
                new UnexpectedRollbackException("marked"));

        assertThat(infrastructure).allMatch(Failures::isInfrastructure);
        assertThat(bugs).noneMatch(Failures::isInfrastructure);
    }

    private static TransactionSystemException rollbackFailedAfter(RuntimeException application) {
        var failure = new TransactionSystemException("rollback");
        failure.initApplicationException(application);
        return failure;
    }

    @Test
    void aCycleOfCausesEnds() {
        var one = new IllegalStateException("one");
        one.initCause(new IllegalStateException("two", one));
        assertThat(Failures.isInfrastructure(one)).isFalse();
    }

    @Test
    void theReasonCanBeStoredAndTheOriginIsOurs() {
        var failure = new IllegalStateException("a\0b");
        assertThat(Failures.reason(failure)).isEqualTo("java.lang.IllegalStateException: ab");
        assertThat(Failures.origin(failure)).contains("FailuresTest.java");
    }
}
