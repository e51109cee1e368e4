package io.muster.edge.stream;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.function.BooleanSupplier;
import tools.jackson.databind.json.JsonMapper;

/**
 * One open answer of type {@code text/event-stream}, written by the request's own virtual thread. Writing to a reader that
 * does not read blocks that thread alone, until the server's write timeout ends the request.
 */
public final class EventStream {

    /** Looks at a change and may write events; false if that was the last. */
    public interface Follower<T> {
        boolean next(Change<T> change) throws IOException;
    }

    /** When and how often it must write. */
    record Terms(Instant until, Duration heartbeat, Duration retry) {}

    private final OutputStream out;
    private final JsonMapper json;
    private final Clock clock;
    private final Terms terms;
    private final BooleanSupplier closing;
    private long writtenAt = System.nanoTime();

    EventStream(OutputStream out, JsonMapper json, Clock clock, Terms terms, BooleanSupplier closing) {
        this.out = out;
        this.json = json;
        this.clock = clock;
        this.terms = terms;
        this.closing = closing;
    }

    void begin() throws IOException {
        write("retry: " + terms.retry().toMillis() + "\n\n");
        out.flush();
    }

    /** Without an id: a reader that is cut off after it begins where it would have begun before it. */
    public void state(Event event) throws IOException {
        write("event: " + event.name() + "\ndata: " + json.writeValueAsString(event.data()) + "\n\n");
    }

    public void change(long number, Event event) throws IOException {
        numbered(Long.toString(number), event);
    }

    /** There will be nothing more: whoever comes back with this id is told so. */
    public void ended(long number, String message) throws IOException {
        numbered(number + Resume.END, end("ENDED", message));
        out.flush();
    }

    private void numbered(String id, Event event) throws IOException {
        write("id: " + id + "\nevent: " + event.name() + "\ndata: " + json.writeValueAsString(event.data()) + "\n\n");
    }

    /** Until the follower has had enough, the caller's token is over or the service stops. */
    public <T> void follow(ChangeFeed<T> feed, long after, Follower<T> follower)
            throws IOException, InterruptedException {
        long seen = after;
        while (goesOn()) {
            ChangeFeed.Batch<T> batch = feed.after(seen);
            for (Change<T> change : batch.changes()) {
                if (!follower.next(change)) {
                    return;
                }
            }
            seen = Math.max(seen, batch.upTo());
            out.flush();
            long idle = terms.heartbeat().toNanos() - (System.nanoTime() - writtenAt);
            if (idle <= 0) {
                // an event without data is dispatched to nobody, but its id is remembered
                write(": heartbeat\nid: " + seen + "\n\n");
                out.flush();
            } else {
                feed.await(seen, Math.min(idle, remaining()));
            }
        }
    }

    private boolean goesOn() throws IOException {
        if (closing.getAsBoolean()) {
            cut("SERVICE_STOPS", "This instance of the service stops. Come back with the last id.");
            return false;
        }
        if (!clock.instant().isBefore(terms.until())) {
            cut("TOKEN_ENDED", "What proved who you are is over. Come back with your key and the last id.");
            return false;
        }
        return true;
    }

    /** Ends the stream for a reason that is not the stream's: come back and go on. */
    void cut(String reason, String message) throws IOException {
        state(end(reason, message));
        out.flush();
    }

    private static Event end(String reason, String message) {
        return new Event("end", Map.of("reason", reason, "message", message));
    }

    private long remaining() {
        Instant now = clock.instant();
        return terms.until().isAfter(now.plus(terms.heartbeat()))
                ? terms.heartbeat().toNanos()
                : Math.max(1, Duration.between(now, terms.until()).toNanos());
    }

    private void write(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        writtenAt = System.nanoTime();
    }
}
