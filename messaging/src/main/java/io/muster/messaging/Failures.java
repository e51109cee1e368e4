package io.muster.messaging;

import java.io.IOException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientException;
import java.util.Set;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionSystemException;

/**
 * Tells broken infrastructure, which is waited for, from a bug, which parks a key. The whole chain of causes is looked
 * at, because frameworks wrap a lost connection in exceptions that say nothing. In doubt it is a bug: that is visible,
 * and waiting for ever is not.
 */
final class Failures {

    /** Connection lost, server going down or coming up, out of resources, deadlock or serialization failure. */
    private static final Set<String> PASSING_SQL_STATES = Set.of("08", "57", "53", "40", "55");

    private Failures() {}

    static boolean isInfrastructure(Throwable failure) {
        int depth = 0;
        for (Throwable cause = failure; cause != null && depth < 50; cause = cause.getCause()) {
            if (isPassing(cause)) {
                return true;
            }
            depth++;
        }
        return false;
    }

    private static boolean isPassing(Throwable cause) {
        return switch (cause) {
            case TransientDataAccessException _,
                    RecoverableDataAccessException _,
                    DataAccessResourceFailureException _,
                    CannotCreateTransactionException _,
                    RetriableException _,
                    IOException _,
                    SQLTransientException _,
                    SQLRecoverableException _,
                    SQLNonTransientConnectionException _ -> true;
            case SQLException sql -> isPassing(sql.getSQLState());
            // a rollback that failed hides why there was one
            case TransactionSystemException hiding -> {
                Throwable hidden = hiding.getApplicationException();
                yield hidden != null && isInfrastructure(hidden);
            }
            default -> false;
        };
    }

    /** No state: the server said nothing, it is the pool's "Connection is closed" after the connection was lost. */
    private static boolean isPassing(@Nullable String state) {
        return state == null || state.length() == 5 && PASSING_SQL_STATES.contains(state.substring(0, 2));
    }

    /** Without NUL, which PostgreSQL cannot store. */
    static String reason(Throwable failure) {
        return failure.toString().replace("\0", "");
    }

    /** The first line of the stack that belongs to a service, else the first line. */
    static String origin(Throwable failure) {
        StackTraceElement[] stack = failure.getStackTrace();
        for (StackTraceElement line : stack) {
            if (line.getClassName().startsWith("io.muster.")) {
                return line.toString();
            }
        }
        return stack.length == 0 ? "unknown" : stack[0].toString();
    }
}
