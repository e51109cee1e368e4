package io.muster.agent.http;

import io.muster.contract.problem.Problem;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.function.Supplier;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Calls one service at a time with the node's current token. Every failure of network, time or form becomes an
 * {@link Answer}; the token is never part of a message.
 */
public final class ServiceClient {

    private static final long LONGEST_ANSWER = 8L << 20;

    private final HttpClient http;
    private final JsonMapper json;
    private final Supplier<Optional<String>> token;

    public ServiceClient(JsonMapper json, ExecutorService executor, Supplier<Optional<String>> token) {
        this.json = json;
        this.token = token;
        this.http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Duration.ofSeconds(2))
                .executor(executor)
                .build();
    }

    public <T> Answer<T> post(URI service, String path, Object body, Class<T> answer, Duration timeout) {
        HttpRequest.Builder request = request(service, path, timeout)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofByteArray(json.writeValueAsBytes(body)));
        return send(request.build(), answer);
    }

    public <T> Answer<T> get(URI service, String path, Class<T> answer, Duration timeout) {
        return send(request(service, path, timeout).GET().build(), answer);
    }

    private HttpRequest.Builder request(URI service, String path, Duration timeout) {
        String root = service.toString();
        URI target = URI.create((root.endsWith("/") ? root.substring(0, root.length() - 1) : root) + path);
        HttpRequest.Builder request =
                HttpRequest.newBuilder(target).timeout(timeout).header("Accept", "application/json");
        token.get().ifPresent(value -> request.header("Authorization", "Bearer " + value));
        return request;
    }

    private <T> Answer<T> send(HttpRequest request, Class<T> type) {
        try {
            HttpResponse<byte[]> response =
                    http.send(request, BodyHandlers.limiting(BodyHandlers.ofByteArray(), LONGEST_ANSWER));
            if (response.statusCode() / 100 != 2) {
                return refused(response);
            }
            if (type == Answer.NoContent.class) {
                return new Answer.Ok<>(type.cast(new Answer.NoContent()));
            }
            return new Answer.Ok<>(json.readValue(response.body(), type));
        } catch (IOException broken) {
            return new Answer.Unreachable<>(request.uri().getAuthority() + ": " + why(broken));
        } catch (JacksonException unreadable) {
            return new Answer.Unreachable<>(request.uri().getAuthority() + " answered something unreadable: "
                    + unreadable.getOriginalMessage());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return new Answer.Unreachable<>("interrupted");
        }
    }

    private static String why(IOException broken) {
        String message = broken.getMessage();
        return broken.getClass().getSimpleName() + (message == null ? "" : " " + message);
    }

    private <T> Answer<T> refused(HttpResponse<byte[]> response) {
        try {
            Problem problem = json.readValue(response.body(), Problem.class);
            return new Answer.Refused<>(response.statusCode(), problem.code(), problem.detail(), problem.retryable());
        } catch (JacksonException noProblem) {
            return new Answer.Refused<>(response.statusCode(), "", "status " + response.statusCode(), false);
        }
    }
}
