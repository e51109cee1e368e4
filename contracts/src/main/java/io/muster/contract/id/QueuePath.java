package io.muster.contract.id;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A quota node by its path from the root: {@code nlp/pretrain}; the root is {@code /}. Names hold letters, digits,
 * hyphens and underscores, never a dot or a slash, so that {@code nlp.pretrain} is the same path in a URL.
 */
public record QueuePath(@JsonValue String value) implements Comparable<QueuePath> {

    private static final Pattern FORM = Pattern.compile("/|[a-zA-Z0-9_-]{1,63}(/[a-zA-Z0-9_-]{1,63}){0,15}");

    public static final QueuePath ROOT = new QueuePath("/");

    public QueuePath {
        if (!FORM.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "not a queue path: '" + value
                            + "'; a path is 1 to 16 names of letters, digits, '-' and '_' joined by '/', such as 'nlp/pretrain'");
        }
    }

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public static QueuePath of(String value) {
        return new QueuePath(value);
    }

    public boolean isRoot() {
        return value.equals("/");
    }

    /** The parent; empty for the root. */
    public Optional<QueuePath> parent() {
        if (isRoot()) {
            return Optional.empty();
        }
        int slash = value.lastIndexOf('/');
        return Optional.of(slash < 0 ? ROOT : new QueuePath(value.substring(0, slash)));
    }

    @Override
    public int compareTo(QueuePath other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
