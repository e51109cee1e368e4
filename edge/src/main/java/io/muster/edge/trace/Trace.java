package io.muster.edge.trace;

import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * The id of a request: 32 hexadecimal digits, in the W3C {@code traceparent} header between services, in the log as
 * {@code traceId}, in {@code X-Request-Id} of every answer, in every problem.
 */
public final class Trace {

    public static final String HEADER = "traceparent";
    public static final String ANSWER_HEADER = "X-Request-Id";

    static final String LOG_KEY = "traceId";

    private static final Pattern FORM = Pattern.compile("00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}");
    private static final String NONE = "0".repeat(32);

    private Trace() {}

    /** The id of the request that this thread works on. */
    public static @Nullable String current() {
        return MDC.get(LOG_KEY);
    }

    /** The {@code traceparent} to send on. */
    public static String toSend(String traceId, RandomGenerator random) {
        return "00-" + traceId + "-" + hex(random.nextLong() | 1L) + "-01";
    }

    /** The id a caller sent, or a new one when there is none or it is not well-formed. */
    static String idOf(@Nullable String header, RandomGenerator random) {
        if (header != null) {
            Matcher matcher = FORM.matcher(header);
            if (matcher.matches() && !matcher.group(1).equals(NONE)) {
                return matcher.group(1);
            }
        }
        return hex(random.nextLong()) + hex(random.nextLong() | 1L);
    }

    private static String hex(long value) {
        String digits = Long.toHexString(value);
        return "0".repeat(16 - digits.length()) + digits;
    }
}
