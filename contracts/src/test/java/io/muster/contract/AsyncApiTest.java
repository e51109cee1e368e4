package io.muster.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The AsyncAPI file is valid and tells what is sent: every type on its topic, and the headers and attributes that the
 * messaging module writes, read from its source. Records of a running system are compared with it by {@code PublishedIT}.
 */
class AsyncApiTest {

    private static final JsonMapper MAPPER = JsonMapper.builder().build();
    private static final Path GOLDEN = Path.of("src/test/resources/golden");
    private static final Path MESSAGING = Path.of("../messaging/src/main/java/io/muster/messaging");

    private static final Map<String, String> KEYS = Map.of(
            Topics.JOBS, "job_01k9x3v7q2m4n8p6r0s1t5w9ya",
            Topics.PLACEMENTS, "job_01k9x3v7q2m4n8p6r0s1t5w9ya",
            Topics.NODES, "r1-n2",
            Topics.QUOTAS, "tree",
            Topics.CHECKPOINTS, "job_01k9x3v7q2m4n8p6r0s1t5w9ya",
            Topics.FAULTS, "rack/r1");

    private final AsyncApi api = AsyncApi.read();

    AsyncApiTest() throws IOException {}

    @Test
    void theFileIsValid() throws IOException {
        assertThat(api.problems()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "action: send|action: publish",
                "asyncapi: 3.0.0|asyncapi: 2.6.0",
                "address: |adress: ",
                "  version: 1.0.0|  versions: 1.0.0",
                "#/components/schemas/Headers|#/components/schemas/Header",
                "./schema/muster.jobs.v1.json|./schema/muster.jobs.v2.json"
            })
    void aMistakeInTheFileIsFound(String change) throws IOException {
        int bar = change.indexOf('|');
        String yaml = Files.readString(AsyncApi.RESOURCES.resolve("asyncapi.yaml"));
        String broken = yaml.replace(change.substring(0, bar), change.substring(bar + 1));
        assertThat(broken).isNotEqualTo(yaml);
        assertThat(AsyncApi.of(broken).problems()).isNotEmpty();
    }

    @Test
    void everyTopicHasExactlyTheTypesThatAreSentOnIt() {
        List<String> written = new ArrayList<>();
        for (JsonNode channel : api.document().get("channels")) {
            for (JsonNode reference : channel.get("messages")) {
                JsonNode message =
                        api.document().at(reference.get("$ref").stringValue().substring(1));
                written.add(channel.get("address").stringValue() + " "
                        + message.get("name").stringValue());
            }
        }
        List<String> sent = Arrays.stream(EventType.values())
                .map(type -> type.topic() + " " + type.type())
                .toList();
        assertThat(written).containsExactlyInAnyOrderElementsOf(sent);
        assertThat(api.document().get("components").get("messages").size()).isEqualTo(sent.size());
        assertThat(api.document().get("operations").size())
                .isEqualTo(api.document().get("channels").size());
    }

    @ParameterizedTest
    @EnumSource(EventType.class)
    void anEventWithTheGoldenDataIsAsTheFileSays(EventType type) throws IOException {
        String message = api.messageOf(type.topic(), type.type());
        ObjectNode event = event(type, message);
        assertThat(api.problems(message, "payload", event)).isEmpty();
        assertThat(api.problems(message, "headers", headers(event))).isEmpty();
        assertThat(api.problems(message, "bindings/kafka/key", event.get("partitionkey")))
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource(EventType.class)
    void whatIsNotSentIsRefused(EventType type) throws IOException {
        String message = api.messageOf(type.topic(), type.type());
        ObjectNode event = event(type, message);
        ObjectNode headers = headers(event);
        for (String attribute : names(event)) {
            ObjectNode without = event.deepCopy();
            without.remove(attribute);
            assertThat(api.problems(message, "payload", without))
                    .as("without %s", attribute)
                    .isNotEmpty();
        }
        for (String header : names(headers)) {
            ObjectNode without = headers.deepCopy();
            without.remove(header);
            assertThat(api.problems(message, "headers", without))
                    .as("without %s", header)
                    .isNotEmpty();
        }
        EventType another = EventType.values()[(type.ordinal() + 1) % EventType.values().length];
        assertThat(api.problems(message, "payload", event.deepCopy().put("type", another.type())))
                .isNotEmpty();
        assertThat(api.problems(message, "headers", headers.deepCopy().put("ce_type", another.type())))
                .isNotEmpty();
        ObjectNode emptied = event.deepCopy();
        emptied.putObject("data");
        assertThat(api.problems(message, "payload", emptied)).isNotEmpty();
        assertThat(api.problems(message, "bindings/kafka/key", MAPPER.valueToTree("no such key")))
                .isNotEmpty();
    }

    /** The header's names and the event's attributes are only written there, so their source is what is sent. */
    @ParameterizedTest
    @ValueSource(strings = {"Headers|headers\\.add\\(", "CloudEvent|node\\.(?:put|set)\\("})
    void headersAndAttributesAreThoseThatTheMessagingModuleWrites(String seam) throws IOException {
        int bar = seam.indexOf('|');
        JsonNode schema = api.document().get("components").get("schemas").get(seam.substring(0, bar));
        List<String> written = Pattern.compile(seam.substring(bar + 1) + "\"([^\"]+)\"")
                .matcher(sourcesOfMessaging())
                .results()
                .map(result -> result.group(1))
                .toList();
        assertThat(written).isNotEmpty().doesNotHaveDuplicates();
        assertThat(names((ObjectNode) schema.get("properties"))).containsExactlyInAnyOrderElementsOf(written);
        assertThat(schema.get("required").valueStream().map(JsonNode::stringValue))
                .containsExactlyInAnyOrderElementsOf(written);
    }

    private static String sourcesOfMessaging() throws IOException {
        StringBuilder all = new StringBuilder();
        try (Stream<Path> files = Files.list(MESSAGING)) {
            for (Path file :
                    files.filter(file -> file.toString().endsWith(".java")).toList()) {
                all.append(Files.readString(file));
            }
        }
        return all.toString();
    }

    @Test
    void everySchemaIsTheDataOfItsTopicAndOfNoOther() throws IOException {
        List<String> files;
        try (Stream<Path> list = Files.list(AsyncApi.RESOURCES.resolve("schema"))) {
            files = list.map(file -> "./schema/" + file.getFileName()).sorted().toList();
        }
        assertThat(new TreeSet<>(api.document().findValuesAsString("$ref").stream()
                        .filter(reference -> reference.startsWith("./"))
                        .toList()))
                .containsExactlyElementsOf(files);
        for (EventType type : EventType.values()) {
            JsonNode message = api.document().at("/components/messages/" + api.messageOf(type.topic(), type.type()));
            assertThat(message.at("/payload/allOf/1/properties/data/$ref").stringValue())
                    .isEqualTo("./schema/" + type.topic() + ".json");
        }
    }

    private ObjectNode event(EventType type, String message) throws IOException {
        ObjectNode event = MAPPER.createObjectNode();
        event.put("specversion", "1.0");
        event.put("id", "01a2299b-8543-7b7e-b844-edee1320f133");
        event.set(
                "source",
                api.document().at("/components/messages/" + message + "/payload/allOf/1/properties/source/const"));
        event.put("type", type.type());
        event.put("subject", "job/job_01k9x3v7q2m4n8p6r0s1t5w9ya");
        event.put("time", "2026-11-29T23:19:47.779716Z");
        event.put("datacontenttype", "application/json");
        event.put("dataschema", "urn:muster:schema:" + type.type());
        event.put("partitionkey", KEYS.get(type.topic()));
        event.put("sequence", "17");
        event.set("data", MAPPER.readTree(Files.readString(GOLDEN.resolve(type.topic() + ".json"))));
        return event;
    }

    private static ObjectNode headers(ObjectNode event) {
        ObjectNode headers = MAPPER.createObjectNode();
        headers.put("content-type", "application/cloudevents+json; charset=UTF-8");
        for (String attribute : List.of("specversion", "id", "type", "source", "subject", "time")) {
            headers.set("ce_" + attribute, event.get(attribute));
        }
        return headers;
    }

    private static List<String> names(ObjectNode node) {
        return List.copyOf(node.propertyNames());
    }
}
