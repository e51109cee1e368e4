package io.muster.job.lifecycle;

import io.muster.contract.agent.AttemptReport;
import io.muster.contract.agent.Progress;
import io.muster.contract.agent.RankExit;
import io.muster.contract.agent.RankReport;
import io.muster.contract.node.CheckResult;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What may be taken from an agent. Its texts come from people's programs and may hold anything, so here, at the door and
 * nowhere else, they are made fit to be stored and shown: control characters become spaces, halves of characters become
 * U+FFFD, and what is too long or too much is cut. A result above its limit is replaced by a sentence that says so.
 */
final class CleanReport {

    static final int LAST_LINE = 2000;
    static final int MESSAGE = 1000;
    static final int NAME = 128;
    static final int MOST_CHECKS = 256;
    static final int MOST_RANKS = 1024;
    static final int MOST_METRICS = 128;
    static final int RESULT_BYTES = 16 * 1024;
    static final int RESULT_DEPTH = 32;
    private static final int LARGEST_PORT = 65535;
    private static final char NOT_A_CHARACTER = '\uFFFD';

    private CleanReport() {}

    static AttemptReport of(AttemptReport report) {
        Integer port = report.offeredMasterPort();
        return new AttemptReport(
                report.jobId(),
                report.attempt(),
                report.phase(),
                port == null || port < 1 || port > LARGEST_PORT ? null : port,
                report.allAlive(),
                report.checks().stream()
                        .limit(MOST_CHECKS)
                        .map(CleanReport::check)
                        .toList(),
                report.ranks().stream().limit(MOST_RANKS).map(CleanReport::rank).toList(),
                report.progress() == null ? null : progress(report.progress()),
                report.result() == null ? null : result(report.result()),
                report.damagedCheckpoint());
    }

    private static CheckResult check(CheckResult check) {
        return new CheckResult(
                text(check.check(), NAME),
                check.status(),
                check.required(),
                text(check.message(), MESSAGE),
                check.tookMillis(),
                check.at());
    }

    private static RankReport rank(RankReport rank) {
        RankExit exit = rank.exit();
        return exit == null
                ? rank
                : new RankReport(
                        rank.rank(),
                        rank.localRank(),
                        rank.pid(),
                        rank.startedAt(),
                        rank.clientReady(),
                        new RankExit(
                                exit.code(),
                                exit.signal(),
                                exit.cause(),
                                exit.lastLine() == null ? null : text(exit.lastLine(), LAST_LINE),
                                exit.at()));
    }

    private static Progress progress(Progress progress) {
        Map<String, Double> metrics = new LinkedHashMap<>();
        progress.metrics().entrySet().stream()
                .filter(metric -> metric.getValue() != null)
                .limit(MOST_METRICS)
                .forEach(metric -> metrics.put(text(metric.getKey(), NAME), metric.getValue()));
        return new Progress(progress.step(), progress.totalSteps(), metrics, progress.at());
    }

    private static Map<String, Object> result(Map<String, Object> result) {
        if (depth(result) > RESULT_DEPTH) {
            return Map.of("notKept", "the result was nested deeper than " + RESULT_DEPTH + " levels");
        }
        Map<String, Object> clean = object(result);
        String json = Objects.requireNonNull(new StoredJson().write(clean));
        int bytes = json.getBytes(StandardCharsets.UTF_8).length;
        return bytes > RESULT_BYTES
                ? Map.of("notKept", "the result had " + bytes + " bytes of JSON; at most " + RESULT_BYTES + " are kept")
                : clean;
    }

    private static int depth(@Nullable Object value) {
        return switch (value) {
            case Map<?, ?> map ->
                1 + map.values().stream().mapToInt(CleanReport::depth).max().orElse(0);
            case List<?> list ->
                1 + list.stream().mapToInt(CleanReport::depth).max().orElse(0);
            case null -> 0;
            default -> 0;
        };
    }

    private static @Nullable Object value(@Nullable Object value) {
        return switch (value) {
            case String text -> text(text, RESULT_BYTES);
            case Map<?, ?> map -> object(map);
            case List<?> list -> list.stream().map(CleanReport::value).collect(Collectors.toList());
            case null -> null;
            default -> value;
        };
    }

    private static Map<String, Object> object(Map<?, ?> map) {
        Map<String, Object> clean = new LinkedHashMap<>();
        map.forEach((key, value) -> clean.put(text(String.valueOf(key), NAME), value(value)));
        return clean;
    }

    /** Fit for a text column, and at most so long, with a mark where it was cut. */
    static String text(@Nullable String text, int most) {
        if (text == null) {
            return "";
        }
        StringBuilder clean = new StringBuilder(Math.min(text.length(), most));
        for (int i = 0; i < text.length(); ) {
            int point = text.codePointAt(i);
            int length = Character.charCount(point);
            boolean last = i + length >= text.length();
            if (clean.length() + length > (last ? most : most - 1)) {
                return clean.append('…').toString();
            }
            boolean half = length == 1 && Character.isSurrogate((char) point);
            clean.appendCodePoint(half ? NOT_A_CHARACTER : Character.isISOControl(point) ? ' ' : point);
            i += length;
        }
        return clean.toString();
    }
}
