package io.muster.local.observability;

/** A query that is no PromQL, or asks for what nobody measures. */
final class PromQlException extends RuntimeException {

    private static final long serialVersionUID = 1;

    PromQlException(String message) {
        super(message);
    }
}
