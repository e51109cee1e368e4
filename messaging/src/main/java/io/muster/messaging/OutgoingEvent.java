package io.muster.messaging;

import java.util.Objects;

/**
 * What a service tells the others.
 *
 * @param key what the event is about and what keeps its order: the record's key
 * @param type the CloudEvents type, such as {@code io.muster.job.submitted.v1}
 * @param sequence rises with every event of this topic and key; consumers apply only a higher one
 * @param data the whole state as a record, written with the application's JSON mapper
 */
public record OutgoingEvent(String topic, String key, String type, String subject, long sequence, Object data) {

    public OutgoingEvent {
        requireText("topic", topic);
        Envelope.checkIdentifier("key", key);
        Envelope.checkIdentifier("type", type);
        requireText("subject", subject);
        Objects.requireNonNull(data, "data");
        if (sequence < 0) {
            throw new IllegalArgumentException(
                    "sequence of " + type + " for " + key + " is " + sequence + ": it must not be negative");
        }
    }

    private static void requireText(String name, String value) {
        if (value.isBlank()) {
            throw new IllegalArgumentException("an event needs a " + name);
        }
    }
}
