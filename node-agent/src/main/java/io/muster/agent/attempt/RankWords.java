package io.muster.agent.attempt;

import io.muster.agent.process.PlainText;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * How much a rank may say, so that what it says can be sent on and stored. Each answer names the limit that was passed;
 * empty means that all is well.
 */
final class RankWords {

    static final int DEEPEST_RESULT = 32;
    static final int MOST_METRICS = 64;
    static final int LONGEST_METRIC_NAME = 64;

    private RankWords() {}

    private record Nested(JsonNode node, int depth) {}

    /** What is wrong with a result, apart from its size. An object in an object is 2 deep. */
    static Optional<String> refuseResult(JsonNode result) {
        Deque<Nested> left = new ArrayDeque<>();
        left.push(new Nested(result, 1));
        while (!left.isEmpty()) {
            Nested each = left.pop();
            JsonNode node = each.node();
            if (node.isContainer() && each.depth() > DEEPEST_RESULT) {
                return Optional.of("the result is nested deeper than " + DEEPEST_RESULT + " levels; flatten it");
            }
            if (node.isString() && !PlainText.isStorable(node.asString())) {
                return unstorable();
            }
            for (Map.Entry<String, JsonNode> field : node.properties()) {
                if (!PlainText.isStorable(field.getKey())) {
                    return unstorable();
                }
                left.push(new Nested(field.getValue(), each.depth() + 1));
            }
            if (node.isArray()) {
                node.forEach(element -> left.push(new Nested(element, each.depth() + 1)));
            }
        }
        return Optional.empty();
    }

    private static Optional<String> unstorable() {
        return Optional.of("the result has text with U+0000 or half a character, which cannot be stored; remove it");
    }

    static Optional<String> refuseMetrics(JsonNode metrics) {
        if (metrics.size() > MOST_METRICS) {
            return Optional.of("there are " + metrics.size() + " metrics, at most " + MOST_METRICS + " are kept");
        }
        for (Map.Entry<String, JsonNode> each : metrics.properties()) {
            String name = each.getKey();
            if (name.isBlank() || name.length() > LONGEST_METRIC_NAME || !PlainText.isPrintable(name)) {
                return Optional.of("metric '" + PlainText.line(name, LONGEST_METRIC_NAME) + "' has a name of "
                        + name.length() + " characters; 1 to " + LONGEST_METRIC_NAME + " printable ones are allowed");
            }
        }
        return Optional.empty();
    }

    /** The metrics that are finite numbers; others are left out, a loss may be NaN for a step. */
    static Map<String, Double> finite(JsonNode metrics) {
        Map<String, Double> finite = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> each : metrics.properties()) {
            JsonNode value = each.getValue();
            if (value.isNumber() && Double.isFinite(value.asDouble())) {
                finite.put(each.getKey(), value.asDouble());
            }
        }
        return finite;
    }
}
