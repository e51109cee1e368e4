package io.muster.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Both Compose files are what the Compose Specification's own schema allows. */
class ComposeSchemaTest {

    private static final Path ROOT = Path.of("../..");
    private static final JsonMapper JSON = JsonMapper.builder().build();

    @ParameterizedTest
    @ValueSource(strings = {"docker-compose.yml", "deploy/compose/docker-compose.yml"})
    void isAsTheComposeSpecificationSays(String file) throws IOException {
        assertThat(wrong(Files.readString(ROOT.resolve(file)))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "restart: unless-stopped | restrat: unless-stopped",
                "condition: service_healthy | condition: service_well",
                "driver: json-file | driver: 7",
                "file: ${MUSTER_SECRETS:-./secrets}/node.pem | path: node.pem",
                "start_interval: 1s | start_every: 1s"
            })
    void theSchemaRefusesWhatIsNot(String right, String wrong) throws IOException {
        String file = Files.readString(ROOT.resolve("deploy/compose/docker-compose.yml"));
        assertThat(file).contains(right);
        assertThat(wrong(file.replace(right, wrong))).isNotEmpty();
    }

    @Test
    void theFileAtTheRootIsThisOne() throws IOException {
        ComposeFile root = ComposeFile.parse(Files.readString(ROOT.resolve("docker-compose.yml")));
        assertThat(ComposeFile.list(root.content().get("include")))
                .containsExactly("deploy/compose/docker-compose.yml");
        assertThat(root.content().get("name"))
                .as("the same project, hence the same volumes, from either folder")
                .isEqualTo(ComposeFile.read().content().get("name"));
    }

    private static List<String> wrong(String yaml) throws IOException {
        String json = JSON.writeValueAsString(ComposeFile.parse(yaml).content());
        return schema().validate(json, InputFormat.JSON).stream()
                .map(Object::toString)
                .toList();
    }

    private static Schema schema() throws IOException {
        try (InputStream file = ComposeSchemaTest.class.getResourceAsStream("compose-spec.schema.json")) {
            ObjectNode schema = (ObjectNode) JSON.readTree(file);
            // its id is no URI, and its dialect is spelled in a way that the validator does not know
            schema.remove(List.of("$id", "$schema"));
            return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_7)
                    .getSchema(JSON.writeValueAsString(schema), InputFormat.JSON);
        }
    }
}
