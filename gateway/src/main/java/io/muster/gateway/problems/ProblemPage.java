package io.muster.gateway.problems;

/**
 * What a problem code means, for people.
 *
 * @param status the HTTP status it comes with
 * @param retryable the same request may succeed later
 * @param meaning what has happened
 * @param remedy what to do
 */
record ProblemPage(String code, int status, boolean retryable, String meaning, String remedy) {

    String toText() {
        return code + " (HTTP " + status + ")\n\n" + meaning + "\n\nWhat to do: " + remedy + "\n\n"
                + (retryable
                        ? "The same request may succeed later.\n"
                        : "The same request will fail again until something changes.\n");
    }
}
