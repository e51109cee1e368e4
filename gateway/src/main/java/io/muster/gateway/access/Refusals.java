package io.muster.gateway.access;

import io.muster.contract.problem.Problem;
import io.muster.contract.problem.Violation;
import io.muster.edge.identity.UserCaller;
import java.util.List;

/** The refusals of this feature, in one place so that their words stay alike. */
final class Refusals {

    private Refusals() {}

    static Problem administratorsOnly(UserCaller caller, String what) {
        return Problem.of(
                403,
                "FORBIDDEN",
                "Not for this key",
                "Only an ADMIN key may " + what + "; key " + caller.keyId() + " has the role " + caller.role() + ".",
                "Ask an administrator of Muster.");
    }

    static Problem invalid(List<Violation> violations) {
        String count = violations.size() == 1 ? "One thing is" : violations.size() + " things are";
        return Problem.of(
                        400,
                        "INVALID_BODY",
                        "The request is not valid",
                        count + " wrong: "
                                + String.join(
                                        "; ",
                                        violations.stream().map(Refusals::line).toList()) + ".",
                        "Correct all of them and send it again; nothing was stored.")
                .with(violations);
    }

    private static String line(Violation violation) {
        return violation.pointer() + " " + violation.message();
    }

    static Problem taken(String what) {
        return Problem.of(
                409,
                "ALREADY_EXISTS",
                "Already there",
                what + " exists already; nothing was changed.",
                "Use it, or take another name.");
    }

    static Problem noSuchKey(KeyId id) {
        return Problem.of(
                404, "NOT_FOUND", "No such key", "There is no API key " + id + ".", "GET /api/v1/keys lists the keys.");
    }

    static Problem lastAdministrator(KeyId id) {
        return Problem.of(
                409,
                "LAST_ADMIN_KEY",
                "The last administrator's key",
                "API key " + id + " is the only ADMIN key left that is valid; without it nobody could make another.",
                "Create another ADMIN key with POST /api/v1/keys first.");
    }
}
