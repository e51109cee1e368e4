package io.muster.local;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The system is ready when the gateway answers and every node is HEALTHY, as a person would see it. */
final class Readiness {

    private static final Duration STEP = Duration.ofMillis(100);

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(1)).build();
    private final Layout layout;
    private final Secrets secrets;
    private final JsonMapper mapper;

    Readiness(Layout layout, Secrets secrets, JsonMapper mapper) {
        this.layout = layout;
        this.secrets = secrets;
        this.mapper = mapper;
    }

    void awaitService(ServiceName service, Duration limit) {
        String url = service == ServiceName.GATEWAY
                ? layout.url(service) + "/api/v1/whoami"
                : layout.url(service) + "/actuator/health";
        await(service.label() + " answers at " + url, limit, () -> status(request(url)) == 200);
    }

    void awaitNodes(int nodes, Duration limit) {
        await(nodes + " nodes are HEALTHY", limit, () -> healthyNodes() == nodes);
    }

    private int healthyNodes() {
        HttpRequest request = request(layout.url(ServiceName.GATEWAY) + "/api/v1/nodes?pageSize=500");
        try {
            HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            int healthy = 0;
            for (JsonNode node : mapper.readTree(answer.body()).path("items")) {
                healthy += node.path("condition").asString("").equals("HEALTHY") ? 1 : 0;
            }
            return healthy;
        } catch (IOException | JacksonException e) {
            return 0;
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private HttpRequest request(String url) {
        return HttpRequest.newBuilder(URI.create(url))
                .header("Authorization", "Bearer " + secrets.read(secrets.key("admin.key")))
                .timeout(Duration.ofSeconds(5))
                .build();
    }

    private int status(HttpRequest request) {
        try {
            return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        } catch (IOException e) {
            return 0;
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static void await(String what, Duration limit, BooleanSupplier condition) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("after " + limit.toSeconds() + " s it is still not so that " + what);
            }
            try {
                Thread.sleep(STEP);
            } catch (InterruptedException e) {
                throw interrupted(e);
            }
        }
    }

    private static IllegalStateException interrupted(InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("interrupted while waiting for the system", cause);
    }
}
