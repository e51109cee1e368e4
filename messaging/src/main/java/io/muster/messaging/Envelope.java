package io.muster.messaging;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * CloudEvents 1.0 in structured JSON, with the extensions {@code partitionkey} and {@code sequence}. Reading is strict
 * about the envelope and about the types of the data, and ignores attributes and fields it does not know, because a
 * newer sender may add some.
 */
final class Envelope {

    static final String CONTENT_TYPE = "application/cloudevents+json; charset=UTF-8";
    private static final String SPEC_VERSION = "1.0";
    private static final int LONGEST_IDENTIFIER = 500;
    private static final String SCHEMA = "urn:muster:schema:";

    private final JsonMapper writer;
    private final JsonMapper reader;

    /** The application may be strict about what users send it; events are read with this module's rule. */
    Envelope(JsonMapper application) {
        this.writer = application;
        this.reader = application
                .rebuild()
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .build();
    }

    String write(OutgoingEvent event, String id, String source, Instant time) {
        ObjectNode node = writer.createObjectNode();
        node.put("specversion", SPEC_VERSION);
        node.put("id", id);
        node.put("source", source);
        node.put("type", event.type());
        node.put("subject", event.subject());
        node.put("time", time.toString());
        node.put("datacontenttype", "application/json");
        node.put("dataschema", SCHEMA + event.type());
        node.put("partitionkey", event.key());
        node.put("sequence", Long.toString(event.sequence()));
        node.set("data", writer.<JsonNode>valueToTree(event.data()));
        return writer.writeValueAsString(node);
    }

    /** What a record turned out to be. */
    sealed interface Reading<T> {}

    record Readable<T>(EventMetadata metadata, T data, String json) implements Reading<T> {}

    record Unreadable<T>(String reason) implements Reading<T> {}

    <T> Reading<T> read(byte @Nullable [] recordKey, byte[] value, Class<T> dataType) {
        try {
            String json = new String(value, StandardCharsets.UTF_8);
            JsonNode node = reader.readTree(json);
            if (node == null || !node.isObject()) {
                return new Unreadable<>("not a JSON object");
            }
            if (!SPEC_VERSION.equals(text(node, "specversion"))) {
                return new Unreadable<>("specversion is not " + SPEC_VERSION);
            }
            String key = recordKey == null ? text(node, "partitionkey") : new String(recordKey, StandardCharsets.UTF_8);
            checkIdentifier("key", key);
            checkIdentifier("id", text(node, "id"));
            checkIdentifier("type", text(node, "type"));
            var metadata = new EventMetadata(
                    text(node, "id"),
                    text(node, "type"),
                    text(node, "source"),
                    key,
                    Long.parseLong(text(node, "sequence")),
                    OffsetDateTime.parse(text(node, "time")).toInstant());
            JsonNode data = node.get("data");
            if (data == null || data.isNull()) {
                return new Unreadable<>("it has no data");
            }
            return new Readable<>(metadata, Objects.requireNonNull(reader.treeToValue(data, dataType)), json);
        } catch (BadAttribute e) {
            return new Unreadable<>(e.getMessage());
        } catch (NumberFormatException e) {
            return new Unreadable<>("sequence is not a number: " + e.getMessage());
        } catch (DateTimeParseException e) {
            return new Unreadable<>("time is not a time: " + e.getMessage());
        } catch (JacksonException e) {
            return new Unreadable<>("not a " + dataType.getSimpleName() + ": " + e.getOriginalMessage());
        }
    }

    private static String text(JsonNode node, String attribute) {
        JsonNode value = node.get(attribute);
        if (value == null || !value.isString() || value.stringValue().isBlank()) {
            throw new BadAttribute("CloudEvents attribute " + attribute + " is missing");
        }
        return value.stringValue();
    }

    /** What is stored as an identifier must fit into an index of PostgreSQL, or it would stop the partition. */
    static void checkIdentifier(String name, String value) {
        if (value.isBlank() || value.length() > LONGEST_IDENTIFIER || value.indexOf('\0') >= 0) {
            throw new BadAttribute(name + " must have 1 to " + LONGEST_IDENTIFIER + " characters and no NUL");
        }
    }

    private static final class BadAttribute extends IllegalArgumentException {
        BadAttribute(String message) {
            super(message);
        }

        @Override
        public String getMessage() {
            return Objects.requireNonNull(super.getMessage());
        }
    }
}
