package io.muster.job.spec;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How often a job saves: every so many steps, or every so many seconds; exactly one of the two is above 0.
 *
 * @param everySteps 0 if the interval is a duration
 * @param everySeconds 0 if the interval is in steps
 */
public record SaveInterval(long everySteps, long everySeconds) {

    static final long MAX_STEPS = 1_000_000_000L;
    static final long MAX_SECONDS = 7 * 24 * 3600L;
    static final SaveInterval DEFAULT = new SaveInterval(0, 600);

    private static final Pattern STEPS = Pattern.compile("(\\d{1,10}) ?steps?");

    public SaveInterval {
        boolean steps = everySteps >= 1 && everySteps <= MAX_STEPS && everySeconds == 0;
        boolean seconds = everySeconds >= 1 && everySeconds <= MAX_SECONDS && everySteps == 0;
        if (steps == seconds) {
            throw new IllegalArgumentException("a save interval of " + everySteps + " steps and " + everySeconds
                    + " seconds; one of them is needed");
        }
    }

    /** Empty if the text is neither a number of steps nor a duration within the limits. */
    static Optional<SaveInterval> parse(String text) {
        Matcher steps = STEPS.matcher(text);
        if (steps.matches()) {
            long number = Long.parseLong(steps.group(1));
            return number >= 1 && number <= MAX_STEPS ? Optional.of(new SaveInterval(number, 0)) : Optional.empty();
        }
        return WrittenDuration.parse(text)
                .map(Duration::toSeconds)
                .filter(seconds -> seconds >= 1 && seconds <= MAX_SECONDS)
                .map(seconds -> new SaveInterval(0, seconds));
    }

    String written() {
        return everySteps > 0
                ? everySteps + " steps"
                : Duration.ofSeconds(everySeconds).toString();
    }
}
