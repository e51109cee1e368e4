package io.muster.edge.problem;

import io.muster.contract.problem.Problem;

/** The problem for a bare status, where nobody knows more. */
final class ContainerFailures {

    private ContainerFailures() {}

    static Problem problem(int status) {
        return switch (status) {
            case 500, 502, 504 -> Problems.internal();
            case 404 -> Problem.of(404, "NOT_FOUND", "Nothing here", "There is nothing at this path.", null);
            case 405, 501 ->
                Problem.of(
                        status,
                        "METHOD_NOT_ALLOWED",
                        "Not with this method",
                        "This path does not take this method.",
                        null);
            case 413 -> Problems.tooLarge(BodyLimitFilter.API_LIMIT);
            case 503 -> Problems.unavailable("The service does not take requests at this moment.");
            default ->
                Problem.of(
                        status >= 400 ? status : 400,
                        "REQUEST_REFUSED",
                        "The request is refused",
                        "The request is not well-formed HTTP, or not of a form that Muster takes.",
                        "Check the path, the query and the headers for characters that must be encoded.");
        };
    }
}
