package io.muster.quota;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.test.context.TestComponent;
import org.springframework.core.env.Environment;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Talks to the service as any client does. */
@TestComponent
public class Http {

    private final HttpClient client = HttpClient.newHttpClient();
    private final Environment environment;
    private final JsonMapper json;

    Http(Environment environment, JsonMapper json) {
        this.environment = environment;
        this.json = json;
    }

    /** @param etag empty if there is none */
    public record Answer(int status, String text, String type, String etag, JsonMapper json) {

        public JsonNode body() {
            return json.readTree(text);
        }
    }

    public Answer get(String token, String path, String... headers) {
        return send(request(token, path, headers).GET());
    }

    public Answer put(String token, String path, @Nullable String ifMatch, Object body) {
        var request = request(token, path, "Content-Type", "application/json")
                .PUT(HttpRequest.BodyPublishers.ofString(
                        body instanceof String text ? text : json.writeValueAsString(body)));
        return send(ifMatch == null ? request : request.header("If-Match", ifMatch));
    }

    private HttpRequest.Builder request(String token, String path, String... headers) {
        var request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + environment.getRequiredProperty("local.server.port") + path))
                .header("Authorization", "Bearer " + token);
        return headers.length == 0 ? request : request.headers(headers);
    }

    private Answer send(HttpRequest.Builder request) {
        try {
            HttpResponse<String> answer = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            return new Answer(
                    answer.statusCode(),
                    answer.body(),
                    answer.headers().firstValue("Content-Type").orElse(""),
                    answer.headers().firstValue("ETag").orElse(""),
                    json);
        } catch (java.io.IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
