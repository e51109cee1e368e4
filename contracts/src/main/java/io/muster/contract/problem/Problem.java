package io.muster.contract.problem;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A refusal as RFC 9457 {@code application/problem+json}.
 *
 * @param type relative and stable: {@code /problems/} + code in lower case with hyphens
 * @param code stable, such as INVALID_SPEC
 * @param retryable the same request may succeed later
 */
public record Problem(
        String type,
        String title,
        int status,
        String code,
        String detail,
        List<Violation> violations,
        @Nullable String hint,
        boolean retryable,
        @Nullable String traceId) {

    public Problem {
        violations = List.copyOf(violations);
    }

    public static Problem of(int status, String code, String title, String detail, @Nullable String hint) {
        return new Problem(
                "/problems/" + code.toLowerCase(Locale.ROOT).replace('_', '-'),
                title,
                status,
                code,
                detail,
                List.of(),
                hint,
                status == 429 || status == 503,
                null);
    }

    public Problem with(List<Violation> found) {
        return new Problem(type, title, status, code, detail, found, hint, retryable, traceId);
    }
}
