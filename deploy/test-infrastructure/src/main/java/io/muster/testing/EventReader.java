package io.muster.testing;

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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads a stream as a browser does: whole events only, and it remembers the last id. */
public final class EventReader implements AutoCloseable {

    /** An event; the last one of a stream that is over has the name {@link #OVER}. */
    public record Seen(@Nullable String id, String name, String data) {
        public JsonNode json() {
            return JsonMapper.shared().readTree(data);
        }
    }

    public static final String OVER = "(over)";

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    public final int status;
    public final String text;
    public final HttpResponse<InputStream> raw;
    private final Duration patience;
    private final BlockingQueue<Seen> events = new LinkedBlockingQueue<>();
    private volatile @Nullable String lastId;

    public EventReader(int port, String path, String token, @Nullable String lastEventId) {
        this(port, path, token, lastEventId, Duration.ofSeconds(30));
    }

    /** @param patience with an event that must come */
    public EventReader(int port, String path, String token, @Nullable String lastEventId, Duration patience) {
        this.patience = patience;
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .header("Authorization", "Bearer " + token)
                .header("Accept", "text/event-stream");
        if (lastEventId != null) {
            request.header("Last-Event-ID", lastEventId);
        }
        lastId = lastEventId;
        try {
            raw = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
            status = raw.statusCode();
            if (status == 200) {
                text = "";
                Thread.ofVirtual().start(this::read);
            } else {
                text = new String(raw.body().readAllBytes(), StandardCharsets.UTF_8);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private void read() {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(raw.body(), StandardCharsets.UTF_8))) {
            String id = null;
            String name = "";
            StringBuilder data = new StringBuilder();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("id: ")) {
                    id = line.substring(4);
                } else if (line.startsWith("event: ")) {
                    name = line.substring(7);
                } else if (line.startsWith("data: ")) {
                    data.append(line.substring(6));
                } else if (line.isEmpty()) {
                    if (id != null) {
                        lastId = id;
                    }
                    if (!data.isEmpty()) {
                        events.add(new Seen(id, name, data.toString()));
                    }
                    id = null;
                    name = "";
                    data.setLength(0);
                }
            }
        } catch (IOException cut) {
            // as good as the end
        }
        events.add(new Seen(null, OVER, ""));
    }

    public @Nullable String lastId() {
        return lastId;
    }

    /** The next event, which must come. */
    public Seen next() {
        Seen seen = poll(patience.toMillis());
        if (seen == null) {
            throw new AssertionError("no event within " + patience.toSeconds() + " s");
        }
        return seen;
    }

    public @Nullable Seen poll(long millis) {
        try {
            return events.poll(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Everything up to the first event of this kind, which is the last of the list. */
    public List<Seen> until(Predicate<Seen> wanted) {
        List<Seen> seen = new ArrayList<>();
        do {
            seen.add(next());
            if (seen.getLast().name().equals(OVER) && !wanted.test(seen.getLast())) {
                throw new AssertionError("over before what was awaited: " + seen);
            }
        } while (!wanted.test(seen.getLast()));
        return seen;
    }

    public List<Seen> untilSynced() {
        return until(seen -> seen.name().equals("synced"));
    }

    @Override
    public void close() {
        try {
            raw.body().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
