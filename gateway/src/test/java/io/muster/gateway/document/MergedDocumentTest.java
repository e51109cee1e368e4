package io.muster.gateway.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

final class MergedDocumentTest {

    @Test
    void schemasOfOneNameAreKeptApartAndUnusedOnesLeftOut() {
        JsonNode merged = MergedDocument.of(
                List.of(
                        source("job", "/api/v1/jobs", "State", "{\"type\":\"string\"}"),
                        source("health", "/api/v1/nodes", "State", "{\"type\":\"integer\"}"),
                        source("quota", "/api/v1/usage", "State", "{\"type\":\"string\"}")),
                List.of("scheduler"));
        assertThat(merged.at("/components/schemas").propertyNames())
                .containsExactlyInAnyOrder("Outer", "State", "health.Outer", "health.State");
        assertThat(merged.at("/components/schemas/health.Outer/properties/state/$ref")
                        .asString())
                .isEqualTo("#/components/schemas/health.State");
        assertThat(merged.at("/components/schemas/Outer/properties/state/$ref").asString())
                .isEqualTo("#/components/schemas/State");
        assertThat(merged.at("/paths/~1api~1v1~1nodes/get/x/$ref").asString())
                .isEqualTo("#/components/schemas/health.Outer");
        assertThat(merged.at("/paths/~1api~1v1~1usage/get/x/$ref").asString()).isEqualTo("#/components/schemas/Outer");
        assertThat(merged.at("/paths/~1api~1v1~1jobs/get/operationId").asString())
                .isEqualTo("list");
        assertThat(merged.at("/paths/~1api~1v1~1nodes/get/operationId").asString())
                .isEqualTo("health_list");
        assertThat(merged.at("/x-muster-missing-services/0").asString()).isEqualTo("scheduler");
    }

    private static ServiceDocument source(String owner, String path, String schema, String form) {
        String text =
                """
                {"paths":{"%s":{"get":{"operationId":"list","x":{"$ref":"#/components/schemas/Outer"}},"parameters":[]},
                          "/internal/x":{"get":{"y":{"$ref":"#/components/schemas/Hidden"}}}},
                 "components":{"schemas":{
                   "Outer":{"properties":{"state":{"$ref":"#/components/schemas/%s"},"self":{"$ref":"#/components/schemas/Outer"},
                     "owner":{"const":"OWNER"}}},
                   "%s":%s,"Hidden":{"type":"object"}}}}
                """.formatted(path, schema, schema, form).replace("OWNER", owner.equals("health") ? "h" : "other");
        return new ServiceDocument(
                owner, JsonMapper.shared().readTree(text), (method, asked) -> asked.startsWith("/api/"));
    }
}
