package io.muster.scheduling.gang;

import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A driver version, compared number by number: 535.86.05 is older than 535.104.05, and 535.86.5 is the same version as
 * 535.86.05. Anything after the numbers ({@code -rc1}) is shown and not compared.
 */
public final class DriverVersion implements Comparable<DriverVersion> {

    private static final Pattern FORM = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9}){0,7})(?:[^0-9.].{0,63})?");

    /** What a node without a readable driver has; older than every version. */
    public static final DriverVersion UNKNOWN = new DriverVersion("unknown", new int[0]);

    private final String text;
    private final int[] numbers;

    private DriverVersion(String text, int[] numbers) {
        this.text = text;
        this.numbers = numbers;
    }

    /** Empty where the text does not begin with a version. */
    public static Optional<DriverVersion> parse(String text) {
        Matcher form = FORM.matcher(text.strip());
        if (!form.matches()) {
            return Optional.empty();
        }
        int[] numbers = Arrays.stream(form.group(1).split("\\.", -1))
                .mapToInt(Integer::parseInt)
                .toArray();
        return Optional.of(new DriverVersion(text.strip(), withoutTrailingZeros(numbers)));
    }

    public static DriverVersion of(String text) {
        return parse(text)
                .orElseThrow(() -> new IllegalArgumentException(
                        "not a driver version: '" + text + "'; numbers joined by dots are needed, such as 535.104.05"));
    }

    private static int[] withoutTrailingZeros(int[] numbers) {
        int length = numbers.length;
        while (length > 1 && numbers[length - 1] == 0) {
            length--;
        }
        return Arrays.copyOf(numbers, length);
    }

    @Override
    public int compareTo(DriverVersion other) {
        return Arrays.compare(numbers, other.numbers);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DriverVersion version && Arrays.equals(numbers, version.numbers);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(numbers);
    }

    @Override
    public String toString() {
        return text;
    }
}
