package io.muster.scheduling.quota;

import java.util.Optional;

/** A quota node by its path from the root, {@code nlp/pretrain}; the root is {@code /}. */
public record QueuePath(String value) implements Comparable<QueuePath> {

    public static final QueuePath ROOT = new QueuePath("/");

    public QueuePath {
        if (value.isBlank() || (value.length() > 1 && (value.startsWith("/") || value.endsWith("/")))) {
            throw new IllegalArgumentException(
                    "not a queue path: '" + value + "'; names joined by '/' are needed, such as nlp/pretrain");
        }
    }

    /** The parent's path; empty for the root. */
    public Optional<QueuePath> parent() {
        if (equals(ROOT)) {
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
