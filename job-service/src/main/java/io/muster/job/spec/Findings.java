package io.muster.job.spec;

import io.muster.contract.problem.Violation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Everything wrong that has been found so far; stops writing down after 100 so that an answer stays readable. */
final class Findings {

    static final int MOST = 100;
    private static final int SHOWN = 200;

    private final List<Violation> violations = new ArrayList<>();

    void add(String pointer, String message, @Nullable JsonNode rejected, @Nullable String allowed) {
        if (violations.size() < MOST) {
            violations.add(new Violation(pointer, message, rejected == null ? null : shown(rejected), allowed));
        }
    }

    List<Violation> all() {
        return List.copyOf(violations);
    }

    boolean none() {
        return violations.isEmpty();
    }

    /** A value as a person reads it, shortened. */
    static String shown(JsonNode value) {
        String text = value.isString() ? value.stringValue() : value.toString();
        return shortened(text, SHOWN);
    }

    static String shortened(String text, int most) {
        String visible = text.chars().anyMatch(c -> c < ' ' || Character.isSurrogate((char) c))
                ? text.codePoints()
                        .collect(StringBuilder::new, Findings::appendVisible, StringBuilder::append)
                        .toString()
                : text;
        if (visible.length() <= most) {
            return visible;
        }
        int end = Character.isHighSurrogate(visible.charAt(most - 2)) ? most - 2 : most - 1;
        return visible.substring(0, end) + "…";
    }

    private static void appendVisible(StringBuilder to, int codePoint) {
        if (codePoint < ' ' || Character.isBmpCodePoint(codePoint) && Character.isSurrogate((char) codePoint)) {
            to.append(String.format("\\u%04x", codePoint));
        } else {
            to.appendCodePoint(codePoint);
        }
    }

    /** One step of a JSON pointer (RFC 6901). */
    static String step(String pointer, String name) {
        return pointer + "/" + shortened(name, 80).replace("~", "~0").replace("/", "~1");
    }
}
