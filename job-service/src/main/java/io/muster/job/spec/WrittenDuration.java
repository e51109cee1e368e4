package io.muster.job.spec;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write them: {@code 30s}, {@code 15m}, {@code 2h}, {@code 14d}, or ISO-8601 such as {@code PT30S}. Whole seconds. */
final class WrittenDuration {

    private static final Pattern SHORT = Pattern.compile("(\\d{1,9})(s|m|h|d)");

    private WrittenDuration() {}

    static Optional<Duration> parse(String text) {
        Matcher matcher = SHORT.matcher(text);
        if (matcher.matches()) {
            long number = Long.parseLong(matcher.group(1));
            return Optional.of(
                    switch (matcher.group(2).charAt(0)) {
                        case 's' -> Duration.ofSeconds(number);
                        case 'm' -> Duration.ofMinutes(number);
                        case 'h' -> Duration.ofHours(number);
                        default -> Duration.ofDays(number);
                    });
        }
        return iso(text);
    }

    private static Optional<Duration> iso(String text) {
        if (text.length() > 40 || !text.startsWith("P")) {
            return Optional.empty();
        }
        try {
            Duration duration = Duration.parse(text);
            return duration.getNano() == 0 ? Optional.of(duration) : Optional.empty();
        } catch (DateTimeException | ArithmeticException notOne) {
            return Optional.empty();
        }
    }
}
