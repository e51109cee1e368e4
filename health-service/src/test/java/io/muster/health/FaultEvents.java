package io.muster.health;

import io.muster.contract.fault.FaultState;
import io.muster.edge.identity.Role;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Reads a stream of faults as a browser does. */
final class FaultEvents implements AutoCloseable {

    record Seen(@Nullable String id, String name, String data) {
        FaultState fault() {
            return RunningService.JSON.readValue(data, FaultState.class);
        }
    }

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final InputStream body;
    private final BlockingQueue<Seen> events = new LinkedBlockingQueue<>();
    private volatile @Nullable String lastId;

    FaultEvents(RunningService service, Role role, String query, @Nullable String lastEventId) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(service.url() + "/api/v1/faults" + query))
                .header("Authorization", "Bearer " + service.userToken(role, "key_" + role))
                .header("Accept", "text/event-stream");
        if (lastEventId != null) {
            request.header("Last-Event-ID", lastEventId);
        }
        lastId = lastEventId;
        try {
            HttpResponse<InputStream> answer = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
            body = answer.body();
            if (answer.statusCode() != 200) {
                throw new AssertionError(answer.statusCode() + new String(body.readAllBytes(), StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        Thread.ofVirtual().start(this::read);
    }

    private void read() {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))) {
            List<String> event = new ArrayList<>();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.isEmpty()) {
                    event.add(line);
                    continue;
                }
                String id = field(event, "id: ");
                lastId = id == null ? lastId : id;
                String data = field(event, "data: ");
                if (data != null) {
                    events.add(new Seen(id, String.valueOf(field(event, "event: ")), data));
                }
                event.clear();
            }
        } catch (IOException cut) {
            // as good as the end
        }
    }

    private static @Nullable String field(List<String> event, String name) {
        return event.stream()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()))
                .findFirst()
                .orElse(null);
    }

    @Nullable
    String lastId() {
        return lastId;
    }

    @Nullable
    Seen poll(long millis) {
        try {
            return events.poll(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Everything up to the first event of this kind, which is the last of the list. */
    List<Seen> until(Predicate<Seen> wanted) {
        List<Seen> seen = new ArrayList<>();
        do {
            Seen next = poll(60_000);
            if (next == null) {
                throw new AssertionError("nothing for 60 s after " + seen);
            }
            seen.add(next);
        } while (!wanted.test(seen.getLast()));
        return seen;
    }

    List<Seen> untilSynced() {
        return until(seen -> seen.name().equals("synced"));
    }

    List<Seen> untilFault(Predicate<FaultState> wanted) {
        return until(seen -> !seen.name().equals("synced") && wanted.test(seen.fault()));
    }

    @Override
    public void close() {
        try {
            body.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
