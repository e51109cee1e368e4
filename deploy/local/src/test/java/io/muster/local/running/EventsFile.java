package io.muster.local.running;

import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The AsyncAPI file as a judge of records. */
final class EventsFile {

    private static final Path RESOURCES = RunningSystem.ROOT.resolve("contracts/src/main/resources");
    private static final String BASE = "https://muster.invalid/";
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private final JsonNode document;
    private final SchemaRegistry schemas;

    private EventsFile(JsonNode document, Map<String, String> texts) {
        this.document = document;
        this.schemas = SchemaRegistry.withDefaultDialect(
                SpecificationVersion.DRAFT_2020_12, builder -> builder.schemas(texts));
    }

    static EventsFile read() throws IOException {
        JsonNode document = new YAMLMapper().readTree(Files.readString(RESOURCES.resolve("asyncapi.yaml")));
        Map<String, String> texts = new LinkedHashMap<>();
        texts.put(BASE + "asyncapi.json", document.toString());
        try (Stream<Path> files = Files.list(RESOURCES.resolve("schema"))) {
            for (Path file : files.sorted().toList()) {
                texts.put(BASE + "schema/" + file.getFileName(), Files.readString(file));
            }
        }
        return new EventsFile(document, texts);
    }

    List<String> topics() {
        return document.get("channels")
                .valueStream()
                .map(channel -> channel.get("address").stringValue())
                .toList();
    }

    JsonNode binding(String topic) {
        return channel(topic).at("/bindings/kafka");
    }

    private JsonNode channel(String topic) {
        return document.get("channels")
                .valueStream()
                .filter(channel -> channel.get("address").stringValue().equals(topic))
                .findFirst()
                .orElseThrow();
    }

    /** Empty if the record is one of its topic's messages: by its key, its headers and its value. */
    List<String> problems(ConsumerRecord<byte[], byte[]> record) {
        ObjectNode headers = MAPPER.createObjectNode();
        record.headers().forEach(header -> headers.put(header.key(), text(header.value())));
        String where = record.topic() + "/" + record.partition() + "@" + record.offset();
        Optional<String> message =
                messageOf(record.topic(), headers.path("ce_type").asString(""));
        if (message.isEmpty()) {
            return List.of(where + " is no message of its topic: " + headers);
        }
        JsonNode value = MAPPER.readTree(text(record.value()));
        List<String> found = new ArrayList<>();
        judge(where, message.get(), "bindings/kafka/key", MAPPER.valueToTree(text(record.key())), found);
        judge(where, message.get(), "headers", headers, found);
        judge(where, message.get(), "payload", value, found);
        for (String attribute : List.of("id", "type", "source", "subject", "time")) {
            if (!value.get(attribute).equals(headers.get("ce_" + attribute))) {
                found.add(where + ": " + attribute + " differs between headers and value");
            }
        }
        if (!value.get("partitionkey").stringValue().equals(text(record.key()))) {
            found.add(where + ": its key is not its partitionkey");
        }
        return found;
    }

    private void judge(String where, String message, String part, JsonNode value, List<String> found) {
        schemas.getSchema(SchemaLocation.of(BASE + "asyncapi.json#/components/messages/" + message + "/" + part))
                .validate(value)
                .forEach(error -> found.add(where + " " + message + " " + part + ": " + error));
    }

    private Optional<String> messageOf(String topic, String type) {
        return channel(topic).get("messages").properties().stream()
                .map(Map.Entry::getKey)
                .filter(name -> document.at("/components/messages/" + name + "/name")
                        .asString("")
                        .equals(type))
                .findFirst();
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
