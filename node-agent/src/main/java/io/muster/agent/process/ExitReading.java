package io.muster.agent.process;

import io.muster.contract.agent.ExitCause;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Why a rank ended, from its exit code and the end of its output. The first rule that fits wins: stopped by this agent;
 * success; could not be started; out of memory; lost connection; a traceback or another exit code of the program;
 * signal. A program's own words outweigh a signal's number, except where the kernel counted an out-of-memory kill. What is
 * quoted of a program's words is plain text, whatever it printed.
 */
public final class ExitReading {

    private static final int LONGEST_LINE = 500;
    private static final int LAST_LINES = 12;
    private static final String TRACEBACK = "Traceback (most recent call last):";
    private static final Pattern OUT_OF_MEMORY =
            Pattern.compile("^(\\w+\\.)*MemoryError\\b|CUDA out of memory|OutOfMemoryError|Cannot allocate memory");
    private static final Pattern LOST_CONNECTION = Pattern.compile(
            "ConnectionRefusedError|ConnectionResetError|ConnectionAbortedError|BrokenPipeError|[Cc]onnection refused"
                    + "|[Cc]onnection (was )?reset|[Cc]losed by (the )?(remote )?peer|[Bb]roken pipe"
                    + "|[Pp]eer closed|[Cc]onnection closed|[Ll]ost connection|Socket Timeout");
    private static final Pattern NOT_STARTED = Pattern.compile("^(/\\S*/)?(nice|setpriv|env): (.*)$");

    private ExitReading() {}

    /**
     * @param stopped why this agent had asked the rank to end before it ended; null if it had not
     * @param outOfMemoryKilled the kernel counted a kill for memory while the rank ran
     */
    public record Evidence(int code, String tail, @Nullable ExitCause stopped, boolean outOfMemoryKilled) {}

    public record Reading(
            ExitCause cause,
            @Nullable Integer signal,
            @Nullable String lastLine) {}

    public static Reading read(Evidence evidence) {
        List<String> lines = evidence.tail().lines().map(String::stripTrailing).toList();
        Integer signal = signal(evidence.code());
        String last = lastPrinted(lines);
        if (evidence.stopped() != null) {
            return new Reading(evidence.stopped(), signal, last);
        }
        if (evidence.code() == 0) {
            return new Reading(ExitCause.COMPLETED, null, last);
        }
        Optional<String> notStarted = notStarted(evidence.code(), last);
        if (notStarted.isPresent()) {
            return new Reading(ExitCause.START_FAILED, null, notStarted.get());
        }
        Optional<String> raised = raised(lines);
        List<String> telling =
                raised.map(List::of).orElse(lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()));
        boolean killed = signal != null && signal == Kernel.KILL;
        if ((killed && evidence.outOfMemoryKilled()) || anyMatch(OUT_OF_MEMORY, telling)) {
            return new Reading(ExitCause.OUT_OF_MEMORY, signal, raised.orElse(last));
        }
        if (signal != null && raised.isEmpty()) {
            return new Reading(ExitCause.SIGNAL, signal, last);
        }
        if (anyMatch(LOST_CONNECTION, telling)) {
            return new Reading(ExitCause.LOST_CONNECTION, signal, raised.orElse(last));
        }
        return new Reading(ExitCause.USER_ERROR, signal, raised.orElse(last));
    }

    private static @Nullable Integer signal(int code) {
        return code > 128 && code <= 128 + 64 ? code - 128 : null;
    }

    private static Optional<String> notStarted(int code, @Nullable String last) {
        if ((code != 126 && code != 127) || last == null) {
            return Optional.empty();
        }
        var match = NOT_STARTED.matcher(last);
        return match.matches() ? Optional.of("cannot start " + match.group(3)) : Optional.empty();
    }

    /** The line of the last traceback that names the exception: the first that is not indented. */
    private static Optional<String> raised(List<String> lines) {
        int header = -1;
        for (int index = lines.size() - 1; index >= 0 && header < 0; index--) {
            if (lines.get(index).strip().endsWith(TRACEBACK)) {
                header = index;
            }
        }
        if (header < 0) {
            return Optional.empty();
        }
        String lead = lines.get(header).substring(0, lines.get(header).indexOf(TRACEBACK));
        for (String line : lines.subList(header + 1, lines.size())) {
            String bare = line.startsWith(lead) ? line.substring(lead.length()) : line;
            if (!bare.isEmpty() && !Character.isWhitespace(bare.charAt(0))) {
                return Optional.of(shortened(bare));
            }
        }
        return Optional.empty();
    }

    private static @Nullable String lastPrinted(List<String> lines) {
        for (int index = lines.size() - 1; index >= 0; index--) {
            if (!lines.get(index).isBlank()) {
                return shortened(lines.get(index));
            }
        }
        return null;
    }

    private static boolean anyMatch(Pattern pattern, List<String> lines) {
        return lines.stream().anyMatch(line -> pattern.matcher(line).find());
    }

    private static String shortened(String line) {
        return PlainText.line(line, LONGEST_LINE);
    }
}
