package io.muster.local;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The system is ready when the gateway answers and every started node is HEALTHY, as a person would see it. A node that
 * is alive and still held for what happened before is waited for a short while only: the way back from a hold is a
 * matter of minutes and is named, but it keeps nobody from the others.
 */
final class Readiness {

    private static final Duration STEP = Duration.ofMillis(100);
    private static final Duration HELD_PATIENCE = Duration.ofSeconds(20);

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
        await(() -> service.label() + " answers at " + url, limit, () -> status(request(url)) == 200);
    }

    /** Fails unless all of them are alive in time; the answer says how many are healthy, and of the others why not. */
    String awaitNodes(List<String> started, Duration limit) {
        Set<String> silent = new TreeSet<>(started);
        await(() -> "every node is alive; silent: " + silent + ", see agent-NODE.log", limit, () -> {
            silent.addAll(started);
            silent.removeAll(conditions().keySet());
            return silent.isEmpty();
        });
        long deadline = System.nanoTime() + HELD_PATIENCE.toNanos();
        Map<String, String> held = held(started);
        while (!held.isEmpty() && System.nanoTime() < deadline) {
            pause();
            held = held(started);
        }
        String others = held.entrySet().stream()
                .map(node -> "; " + node.getKey() + " is " + node.getValue())
                .collect(Collectors.joining());
        return started.size() - held.size() + " of " + layout.nodes().size() + " nodes healthy" + others;
    }

    private Map<String, String> held(List<String> started) {
        Map<String, String> held = new TreeMap<>(conditions());
        held.keySet().retainAll(started);
        held.values().removeIf("HEALTHY"::equals);
        return held;
    }

    /** The condition of each node that is alive, by its name; none while nobody answers. */
    private Map<String, String> conditions() {
        HttpRequest request = request(layout.url(ServiceName.GATEWAY) + "/api/v1/nodes?pageSize=500");
        Map<String, String> conditions = new TreeMap<>();
        try {
            HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            for (JsonNode node : mapper.readTree(answer.body()).path("items")) {
                if (node.path("alive").asBoolean(false)) {
                    conditions.put(
                            node.path("node").asString(""),
                            node.path("condition").asString(""));
                }
            }
            return conditions;
        } catch (IOException | JacksonException e) {
            return Map.of();
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

    private static void await(Supplier<String> what, Duration limit, BooleanSupplier condition) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException(
                        "after " + limit.toSeconds() + " s it is still not so that " + what.get());
            }
            pause();
        }
    }

    private static void pause() {
        try {
            Thread.sleep(STEP);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static IllegalStateException interrupted(InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("interrupted while waiting for the system", cause);
    }
}
