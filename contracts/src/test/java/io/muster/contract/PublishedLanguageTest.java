package io.muster.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.muster.contract.checkpoint.CheckpointState;
import io.muster.contract.fault.FaultState;
import io.muster.contract.job.JobState;
import io.muster.contract.node.NodeState;
import io.muster.contract.placement.PlacementState;
import io.muster.contract.quota.QuotaTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The schemas and golden samples change only on purpose: a schema file must equal what the record says (run with
 * {@code -Dcontracts.write=true} to rewrite it), and a golden sample must go through its record unchanged.
 */
class PublishedLanguageTest {

    private static final Path SCHEMAS = Path.of("src/main/resources/schema");
    private static final Path GOLDEN = Path.of("src/test/resources/golden");
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    /** The data of every topic. */
    private static final Map<String, Class<?>> DATA = Map.of(
            Topics.JOBS, JobState.class,
            Topics.PLACEMENTS, PlacementState.class,
            Topics.NODES, NodeState.class,
            Topics.QUOTAS, QuotaTree.class,
            Topics.CHECKPOINTS, CheckpointState.class,
            Topics.FAULTS, FaultState.class);

    static Stream<String> topics() {
        return DATA.keySet().stream().sorted();
    }

    @ParameterizedTest
    @MethodSource("topics")
    void theSchemaIsWhatTheRecordSays(String topic) throws IOException {
        String written = MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(generated(topic)) + "\n";
        Path file = SCHEMAS.resolve(topic + ".json");
        if (Boolean.getBoolean("contracts.write")) {
            Files.writeString(file, written);
        }
        assertThat(file).content().isEqualToNormalizingNewlines(written);
    }

    @ParameterizedTest
    @MethodSource("topics")
    void theGoldenSampleIsValidAndGoesThroughTheRecordUnchanged(String topic) throws IOException {
        String golden = Files.readString(GOLDEN.resolve(topic + ".json"));
        assertThat(problems(topic, golden)).isEmpty();
        Object read = MAPPER.readValue(golden, DATA.get(topic));
        assertThat(MAPPER.readTree(MAPPER.writeValueAsString(read))).isEqualTo(MAPPER.readTree(golden));
    }

    @ParameterizedTest
    @MethodSource("topics")
    void theSchemaRefusesASampleThatLacksAnyRequiredField(String topic) throws IOException {
        ObjectNode golden = (ObjectNode) MAPPER.readTree(Files.readString(GOLDEN.resolve(topic + ".json")));
        for (JsonNode name : generated(topic).get("required")) {
            ObjectNode without = golden.deepCopy();
            without.remove(name.stringValue());
            assertThat(problems(topic, MAPPER.writeValueAsString(without)))
                    .as("without %s", name)
                    .isNotEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("topics")
    void aFieldOfALaterVersionIsIgnored(String topic) throws IOException {
        ObjectNode golden = (ObjectNode) MAPPER.readTree(Files.readString(GOLDEN.resolve(topic + ".json")));
        ObjectNode later = golden.deepCopy();
        later.put("addedLater", 1);
        assertThat(problems(topic, MAPPER.writeValueAsString(later))).isEmpty();
    }

    /** Topics keep what the first version wrote; a consumer of today reads it with the meaning it had. */
    @ParameterizedTest
    @ValueSource(strings = {Topics.JOBS, Topics.PLACEMENTS, Topics.NODES, Topics.CHECKPOINTS})
    void anEventOfTheFirstVersionIsStillRead(String topic) throws IOException {
        String first = Files.readString(GOLDEN.resolve("first").resolve(topic + ".json"));
        Object read = MAPPER.readValue(first, DATA.get(topic));
        assertThat(problems(topic, MAPPER.writeValueAsString(read))).isEmpty();
    }

    @Test
    void everyEventTypeHasItsTopicAndTheCommonForm() {
        assertThat(EventType.values()).allSatisfy(type -> {
            assertThat(type.type()).matches("io\\.muster\\.[a-z]+\\.[a-z-]+\\.v1");
            assertThat(DATA).containsKey(type.topic());
        });
        assertThat(Arrays.stream(EventType.values()).map(EventType::type)).doesNotHaveDuplicates();
    }

    private static ObjectNode generated(String topic) {
        return new SchemaOfRecords(MAPPER).schemaOf(DATA.get(topic));
    }

    private static List<String> problems(String topic, String json) throws IOException {
        Schema schema = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(Files.readString(SCHEMAS.resolve(topic + ".json")), InputFormat.JSON);
        List<String> found = new ArrayList<>();
        schema.validate(json, InputFormat.JSON).forEach(error -> found.add(error.toString()));
        return found;
    }
}
