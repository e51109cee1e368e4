package io.muster.agent.http;

/** What came of a call. Refused and Unreachable are expected outcomes: callers retry or obey, never fail. */
public sealed interface Answer<T> {

    record Ok<T>(T body) implements Answer<T> {}

    /**
     * @param code the problem's stable code; empty if the answer was no problem document
     * @param retryable the service says itself that the same request may succeed later
     */
    record Refused<T>(int status, String code, String detail, boolean retryable) implements Answer<T> {

        public boolean unauthorized() {
            return status == 401 || status == 403;
        }

        /** The same request may succeed later. */
        public boolean transientRefusal() {
            return retryable || status == 408 || status == 425 || status == 429 || status >= 500;
        }
    }

    record Unreachable<T>(String why) implements Answer<T> {}

    /** The body of an answer that has none. */
    record NoContent() {}
}
