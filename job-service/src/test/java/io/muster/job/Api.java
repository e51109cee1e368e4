package io.muster.job;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Arrays;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Calls the service as its callers do. */
public final class Api {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final String root;
    private final String token;

    public Api(int port, String token) {
        this.root = "http://127.0.0.1:" + port;
        this.token = token;
    }

    public record Reply(int status, String text, HttpResponse<String> raw) {
        public JsonNode json() {
            return JSON.readTree(text);
        }

        public <T> T as(Class<T> type) {
            return JSON.readValue(text, type);
        }

        public String header(String name) {
            return raw.headers().firstValue(name).orElse(null);
        }
    }

    public Reply get(String path, String... headers) {
        return send(request(path, headers).GET());
    }

    public Reply post(String path, Object body, String... headers) {
        String text = body instanceof String already ? already : JSON.writeValueAsString(body);
        return send(request(path, headers)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(text)));
    }

    private HttpRequest.Builder request(String path, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(root + path))
                .timeout(Duration.ofSeconds(60))
                .header("Authorization", "Bearer " + token);
        return headers.length == 0 ? request : request.headers(Arrays.copyOf(headers, headers.length));
    }

    private static Reply send(HttpRequest.Builder request) {
        try {
            HttpResponse<String> response = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
            return new Reply(response.statusCode(), response.body(), response);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
