package io.muster.quota.ledger;

import io.muster.contract.problem.Violation;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What somebody wants to know: GPU time held from {@code from} to before {@code to}. */
record UsageQuestion(UsageGroup groupBy, Instant from, Instant to) {

    private static final Duration DEFAULT_WINDOW = Duration.ofDays(30);
    /** Far from where milliseconds overflow. */
    private static final Instant LAST = Instant.parse("9999-12-31T00:00:00Z");

    sealed interface Reading {
        record Understood(UsageQuestion question) implements Reading {}

        record Wrong(List<Violation> violations) implements Reading {}
    }

    /** Without {@code to} until now, without {@code from} the 30 days before {@code to}. */
    static Reading read(String groupBy, @Nullable String from, @Nullable String to, Instant now) {
        List<Violation> wrong = new ArrayList<>();
        Optional<UsageGroup> group = UsageGroup.of(groupBy);
        if (group.isEmpty()) {
            wrong.add(new Violation(
                    "/groupBy",
                    "groupBy is '" + shortened(groupBy) + "'",
                    shortened(groupBy),
                    "tenant, project, queue or job"));
        }
        Instant end = to == null ? now : time("/to", to, wrong);
        Instant start = from == null ? null : time("/from", from, wrong);
        if (wrong.isEmpty() && start == null && end != null) {
            start = end.minus(DEFAULT_WINDOW);
        }
        if (start != null && end != null && !start.isBefore(end)) {
            wrong.add(new Violation(
                    "/from", "from " + start + " is not before to " + end, start.toString(), "before " + end));
        }
        return wrong.isEmpty() && start != null && end != null
                ? new Reading.Understood(new UsageQuestion(group.orElseThrow(), start, end))
                : new Reading.Wrong(wrong);
    }

    private static @Nullable Instant time(String pointer, String text, List<Violation> wrong) {
        try {
            Instant time = Instant.parse(text);
            if (!time.isBefore(Instant.EPOCH) && time.isBefore(LAST)) {
                return time;
            }
        } catch (DateTimeParseException notATime) {
            // said below, as for a time out of range
        }
        wrong.add(new Violation(
                pointer,
                "'" + shortened(text) + "' is not a time between 1970 and 9999 in UTC",
                shortened(text),
                "RFC 3339, such as 2026-11-29T00:00:00Z"));
        return null;
    }

    private static String shortened(String text) {
        return text.length() <= 100 ? text : text.substring(0, 100);
    }
}
