package io.muster.gateway.routing;

import io.muster.contract.problem.Problem;
import java.time.Duration;
import java.util.List;

/** Why the gateway itself did not pass a request on. */
final class RoutingRefusals {

    private RoutingRefusals() {}

    static Problem breakerOpen(Target target) {
        return unavailable(target, "its last calls failed, so it is not asked for a moment");
    }

    static Problem noAnswer(Target target, Duration timeout) {
        return unavailable(target, "it could not be reached or did not answer within " + timeout.toMillis() + " ms");
    }

    private static Problem unavailable(Target target, String why) {
        return Problem.of(
                503,
                "SERVICE_UNAVAILABLE",
                "A part of Muster does not answer",
                target.shortName() + "-service is not available: " + why + ".",
                "Try again in a few seconds; what was submitted before is not lost.");
    }

    static Problem laneFull(Lane lane, int limit) {
        return Problem.of(
                503,
                "OVERLOADED",
                "Too many requests at once",
                "There are " + limit + " requests of the kind '" + lane.bulkhead()
                        + "' at work in this gateway, which is the most it passes on at once.",
                "Try again in a second; close logs and streams that nobody reads.");
    }

    static Problem methodNotAllowed(String method, List<String> allowed) {
        return Problem.of(
                405,
                "METHOD_NOT_ALLOWED",
                "Not with this method",
                "This path does not take " + method + ".",
                "It takes " + String.join(", ", allowed) + ".");
    }

    static Problem notJson(String type) {
        return Problem.of(
                415,
                "UNSUPPORTED_MEDIA_TYPE",
                "Not in this format",
                "This path does not take a body of type " + (type.length() > 100 ? type.substring(0, 100) : type) + ".",
                "Send JSON with the header 'Content-Type: application/json'.");
    }
}
