package io.muster.gateway.document;

import io.muster.edge.identity.ServiceAddresses;
import io.muster.gateway.routing.RouteTable;
import io.muster.gateway.routing.Target;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The document of all services, asked for when somebody wants it. A whole one is kept for good, because a service's
 * paths change only with its version and then the gateway's do too; one with services missing is kept for a few seconds.
 */
@Component
class ApiDocument {

    private static final Logger log = LoggerFactory.getLogger(ApiDocument.class);
    private static final Duration PATIENCE = Duration.ofSeconds(8);
    private static final Duration INCOMPLETE_LIFE = Duration.ofSeconds(5);
    private static final int MAX_BYTES = 4 * 1024 * 1024;

    private final ServiceAddresses addresses;
    private final HttpClient client;
    private final JsonMapper json;
    private final Clock clock;
    private final ReentrantLock one = new ReentrantLock();
    private volatile @Nullable Made last;

    private record Made(byte[] text, boolean whole, Instant at) {}

    ApiDocument(ServiceAddresses addresses, HttpClient client, JsonMapper json, Clock clock) {
        this.addresses = addresses;
        this.client = client;
        this.json = json;
        this.clock = clock;
    }

    /** @param own the gateway's own document */
    byte[] text(byte[] own) {
        @Nullable Made known = last;
        if (known != null && isFresh(known)) {
            return known.text;
        }
        one.lock();
        try {
            known = last;
            if (known != null && isFresh(known)) {
                return known.text;
            }
            Made made = make(own);
            last = made;
            return made.text;
        } finally {
            one.unlock();
        }
    }

    private boolean isFresh(Made made) {
        Instant now = clock.instant();
        return made.whole || (!now.isBefore(made.at) && now.isBefore(made.at.plus(INCOMPLETE_LIFE)));
    }

    private Made make(byte[] own) {
        List<ServiceDocument> documents = new ArrayList<>();
        documents.add(new ServiceDocument(
                "gateway",
                json.readTree(own),
                (method, path) -> path.startsWith("/api/v1/") || path.startsWith("/problems/")));
        List<String> missing = new ArrayList<>();
        ask().forEach((target, answer) -> answer.join()
                .ifPresentOrElse(
                        document -> documents.add(new ServiceDocument(
                                target.shortName(),
                                document,
                                (method, path) -> RouteTable.routes(target, method, path))),
                        () -> missing.add(target.shortName())));
        return new Made(
                json.writeValueAsBytes(MergedDocument.of(documents, missing)), missing.isEmpty(), clock.instant());
    }

    private Map<Target, CompletableFuture<Optional<JsonNode>>> ask() {
        Map<Target, CompletableFuture<Optional<JsonNode>>> answers = new EnumMap<>(Target.class);
        for (Target target : Target.values()) {
            URI uri = addresses.of(target.shortName()).resolve("/v3/api-docs");
            HttpRequest request = HttpRequest.newBuilder(uri).timeout(PATIENCE).build();
            answers.put(
                    target,
                    client.sendAsync(
                                    request,
                                    HttpResponse.BodyHandlers.limiting(
                                            HttpResponse.BodyHandlers.ofByteArray(), MAX_BYTES))
                            .thenApply(this::read)
                            .exceptionally(e -> absent(target, e)));
        }
        return answers;
    }

    private Optional<JsonNode> read(HttpResponse<byte[]> answer) {
        if (answer.statusCode() != 200) {
            throw new UncheckedIOException(new IOException("status " + answer.statusCode()));
        }
        JsonNode document = json.readTree(answer.body());
        if (!document.path("paths").isObject()) {
            throw new UncheckedIOException(new IOException("not an OpenAPI document"));
        }
        return Optional.of(document);
    }

    private static Optional<JsonNode> absent(Target target, Throwable e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        String why = cause instanceof JacksonException ? "it is not JSON" : String.valueOf(cause.getMessage());
        log.info("API document without {}-service: {}", target.shortName(), why);
        return Optional.empty();
    }
}
