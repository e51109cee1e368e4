package io.muster.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** One document for all services, and the pages of problems; both without a key. */
final class DocumentTest {

    @TempDir
    static Path folder;

    private static RunningGateway gateway;

    @BeforeAll
    static void start() {
        gateway = new RunningGateway(folder, Map.of());
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @Test
    void theDocumentHasWhatIsReachableAndSaysWhoIsMissing() throws InterruptedException {
        serve(
                "job",
                "{\"paths\":{\"/api/v1/jobs\":{\"get\":{\"operationId\":\"list\"}},\"/internal/agents/{node}/report\":{\"post\":{}}}}");
        serve(
                "quota",
                "{\"paths\":{\"/api/v1/quota/tree\":{\"get\":{\"operationId\":\"list\"},\"delete\":{}},\"/api/v1/jobs\":{\"get\":{}}}}");
        serve("scheduler", "{\"paths\":{}}");
        serve("health", "nonsense");
        gateway.service("checkpoint").down();
        JsonNode first = document();
        assertThat(names(first.path("x-muster-missing-services"))).containsExactly("checkpoint", "health");
        assertThat(operations(first))
                .contains("get /api/v1/jobs", "get /api/v1/quota/tree", "get /api/v1/whoami", "post /api/v1/keys")
                .contains("get /problems/{code}", "get /api/v1/openapi.json")
                .doesNotContain("delete /api/v1/quota/tree")
                .noneMatch(operation -> operation.contains("/internal") || operation.contains("/actuator"));
        assertThat(first.at("/paths/~1api~1v1~1jobs/get/tags/0").asString()).isEqualTo("job");
        JsonNode whoami = first.at("/paths/~1api~1v1~1whoami/get");
        assertThat(whoami.path("parameters").size())
                .as("the caller is no parameter: %s", whoami)
                .isZero();
        assertThat(first.path("components").path("schemas").propertyNames()).contains("KeyView", "CreatedKey");

        serve("health", "{\"paths\":{}}");
        gateway.service("checkpoint").up();
        serve("checkpoint", "{\"paths\":{}}");
        org.awaitility.Awaitility.await()
                .atMost(java.time.Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(
                                document().path("x-muster-missing-services").size())
                        .isZero());
        gateway.reset();
        document();
        assertThat(gateway.asked()).as("a whole document is kept").isEmpty();
    }

    @Test
    void aProblemsTypeIsAPage() {
        HttpResponse<String> refused = gateway.get("/api/v1/whoami", null);
        String type = RunningGateway.json(refused).path("type").asString();
        assertThat(type).isEqualTo("/problems/unauthenticated");
        HttpResponse<String> page = gateway.get(type, null);
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(RunningGateway.json(page).path("code").asString()).isEqualTo("UNAUTHENTICATED");
        HttpResponse<String> text = gateway.send(gateway.request(type, null).header("Accept", "text/plain"));
        assertThat(text.headers().firstValue("Content-Type").orElse("")).startsWith("text/plain");
        assertThat(text.body()).startsWith("UNAUTHENTICATED (HTTP 401)");
        HttpResponse<String> unknown = gateway.get("/problems/nope", null);
        assertThat(unknown.statusCode()).isEqualTo(404);
        assertThat(unknown.headers().firstValue("Content-Type").orElse("")).startsWith("application/problem+json");
        assertThat(gateway.post("/problems/nope", null, "{}").statusCode()).isEqualTo(404);
    }

    private static void serve(String service, String text) {
        gateway.service(service).answering = exchange -> StubService.send(exchange, 200, "application/json", text);
    }

    private static JsonNode document() {
        HttpResponse<String> answer = gateway.get("/api/v1/openapi.json", null);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return RunningGateway.json(answer);
    }

    private static List<String> names(JsonNode array) {
        return array.valueStream().map(JsonNode::asString).toList();
    }

    private static List<String> operations(JsonNode document) {
        return document.path("paths").properties().stream()
                .flatMap(path -> path.getValue().propertyNames().stream().map(method -> method + " " + path.getKey()))
                .toList();
    }
}
