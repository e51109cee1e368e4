package io.muster.contract;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The AsyncAPI file, and whether a record is as one of its messages says. */
final class AsyncApi {

    static final Path RESOURCES = Path.of("src/main/resources");
    private static final Path SPECIFICATION = Path.of("src/test/resources/asyncapi/asyncapi-3.0.0.json");
    private static final String BASE = "https://muster.invalid/";

    private final JsonNode document;
    private final SchemaRegistry schemas;

    private AsyncApi(JsonNode document) throws IOException {
        this.document = document;
        Map<String, String> texts = new LinkedHashMap<>();
        texts.put(BASE + "asyncapi.json", document.toString());
        try (Stream<Path> files = Files.list(RESOURCES.resolve("schema"))) {
            for (Path file : files.sorted().toList()) {
                texts.put(BASE + "schema/" + file.getFileName(), Files.readString(file));
            }
        }
        this.schemas = SchemaRegistry.withDefaultDialect(
                SpecificationVersion.DRAFT_2020_12,
                builder -> builder.schemas(texts)
                        .schemaRegistryConfig(SchemaRegistryConfig.builder()
                                .formatAssertionsEnabled(true)
                                .build()));
    }

    static AsyncApi read() throws IOException {
        return of(Files.readString(RESOURCES.resolve("asyncapi.yaml")));
    }

    static AsyncApi of(String yaml) throws IOException {
        return new AsyncApi(new YAMLMapper().readTree(yaml));
    }

    JsonNode document() {
        return document;
    }

    /** By the schema that the AsyncAPI initiative publishes, and no reference may lead nowhere. */
    List<String> problems() throws IOException {
        Schema specification = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_7)
                .getSchema(Files.readString(SPECIFICATION), InputFormat.JSON);
        List<String> found = new ArrayList<>();
        specification.validate(document.toString(), InputFormat.JSON).forEach(error -> found.add(error.toString()));
        document.findValuesAsString("$ref").forEach(reference -> {
            boolean leads = reference.startsWith("#")
                    ? !document.at(reference.substring(1)).isMissingNode()
                    : Files.exists(RESOURCES.resolve(reference));
            if (!leads) {
                found.add(reference + " leads nowhere");
            }
        });
        return found;
    }

    JsonNode channel(String topic) {
        List<JsonNode> found = document.get("channels")
                .valueStream()
                .filter(channel -> channel.get("address").stringValue().equals(topic))
                .toList();
        if (found.size() != 1) {
            throw new AssertionError(found.size() + " channels have the address " + topic);
        }
        return found.getFirst();
    }

    /** The name of the message in this file whose CloudEvents type this is; it must be one of the topic's. */
    String messageOf(String topic, String type) {
        for (JsonNode reference : channel(topic).get("messages")) {
            String pointer = reference.get("$ref").stringValue().substring(1);
            if (document.at(pointer).get("name").stringValue().equals(type)) {
                return pointer.substring(pointer.lastIndexOf('/') + 1);
            }
        }
        throw new AssertionError("topic " + topic + " has no message " + type);
    }

    /** @param part {@code headers}, {@code payload} or {@code bindings/kafka/key} */
    List<String> problems(String message, String part, JsonNode value) {
        Schema schema = schemas.getSchema(
                SchemaLocation.of(BASE + "asyncapi.json#/components/messages/" + message + "/" + part));
        List<String> found = new ArrayList<>();
        schema.validate(value).forEach(error -> found.add(part + " " + error));
        return found;
    }
}
