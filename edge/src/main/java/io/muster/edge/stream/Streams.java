package io.muster.edge.stream;

import io.muster.contract.problem.Problem;
import io.muster.edge.identity.CallerAuthentication;
import io.muster.edge.identity.UserCaller;
import io.muster.edge.problem.ProblemException;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.security.core.context.SecurityContextHolder;
import tools.jackson.databind.json.JsonMapper;

/**
 * Serves streams: lets in as many as the settings allow, refuses as long as that can still be answered, and ends each when
 * the caller's token does. Who comes back is proven anew, so a revoked key sees nothing after the life of one token.
 */
public final class Streams implements SmartLifecycle {

    /** What a caller is told, decided before the answer begins. */
    public interface Script {
        void run(EventStream out) throws IOException, InterruptedException;
    }

    /** Reads what must be known before the answer begins, and throws a {@link ProblemException} to refuse. */
    public interface Opening {
        /** Empty: there is nothing to tell any more. */
        Optional<Script> open();
    }

    private static final Logger log = LoggerFactory.getLogger(Streams.class);
    private static final String RETRY_SECONDS = "5";

    private final ChangeLog changes;
    private final List<ChangeFeed<?>> feeds;
    private final StreamSettings settings;
    private final JsonMapper json;
    private final Clock clock;
    private final Places places;
    private volatile boolean closing;

    Streams(ChangeLog changes, List<ChangeFeed<?>> feeds, StreamSettings settings, JsonMapper json, Clock clock) {
        this.changes = changes;
        this.feeds = List.copyOf(feeds);
        this.settings = settings;
        this.json = json;
        this.clock = clock;
        this.places = new Places(settings.most(), settings.mostPerCaller());
    }

    /** How many are open. */
    public int open() {
        return places.open();
    }

    public Resume resume(@Nullable String lastEventId) {
        return Resume.of(lastEventId, changes.issued(), settings.mostBehind());
    }

    /** What is read after this was asked has every change up to here. */
    public long headOf(ChangeFeed<?> feed) {
        return feed.head();
    }

    /** The number of the newest change of a key. */
    public long numberOf(String feed, String key) {
        return changes.of(feed, key);
    }

    /** Says why the present state comes instead of what was asked for. */
    public static Event reset(Resume.Reset reset) {
        return new Event(
                "reset",
                Map.of(
                        "message",
                        "Nothing can follow id " + reset.number() + " (the newest is " + reset.newest()
                                + "); what follows is the present state."));
    }

    /** A list: its present state, then every change; or only what changed since the last id. */
    public <T> void list(
            UserCaller caller,
            HttpServletResponse response,
            @Nullable String lastEventId,
            ChangeFeed<T> feed,
            Listed<T> listed)
            throws IOException {
        serve(caller, response, () -> {
            Resume resume = resume(lastEventId);
            long head = feed.head();
            return Optional.of(
                    switch (resume) {
                        case Resume.After after -> out -> follow(out, feed, after.number(), listed);
                        case Resume.Anew() -> anew(feed, head, listed, List.of());
                        case Resume.Reset reset -> anew(feed, head, listed, List.of(reset(reset)));
                    });
        });
    }

    private static <T> Script anew(ChangeFeed<T> feed, long head, Listed<T> listed, List<Event> before) {
        List<Event> now = listed.now();
        return out -> {
            for (Event event : before) {
                out.state(event);
            }
            for (Event event : now) {
                out.state(event);
            }
            out.change(head, new Event("synced", Map.of("items", now.size())));
            follow(out, feed, head, listed);
        };
    }

    private static <T> void follow(EventStream out, ChangeFeed<T> feed, long after, Listed<T> listed)
            throws IOException, InterruptedException {
        out.follow(feed, after, change -> {
            Optional<Event> event = listed.of(change.item());
            if (event.isPresent()) {
                out.change(change.number(), event.get());
            }
            return true;
        });
    }

    /** Until the script ends, the token does, the service stops or the reader is gone. */
    public void serve(UserCaller caller, HttpServletResponse response, Opening opening) throws IOException {
        Optional<Problem> refusal = places.take(caller.keyId());
        if (refusal.isPresent()) {
            response.setHeader(HttpHeaders.RETRY_AFTER, RETRY_SECONDS);
            throw new ProblemException(refusal.get());
        }
        try {
            Optional<Script> script = opening.open();
            if (script.isEmpty()) {
                response.setStatus(HttpServletResponse.SC_NO_CONTENT);
                return;
            }
            run(script.get(), begun(response));
        } finally {
            places.giveBack(caller.keyId());
        }
    }

    private EventStream begun(HttpServletResponse response) throws IOException {
        response.setContentType(MediaType.TEXT_EVENT_STREAM_VALUE);
        response.setCharacterEncoding(StandardCharsets.UTF_8);
        response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
        EventStream.Terms terms = new EventStream.Terms(until(), settings.heartbeat(), settings.retry());
        return new EventStream(response.getOutputStream(), json, clock, terms, () -> closing);
    }

    private static void run(Script script, EventStream out) {
        try {
            out.begin();
            script.run(out);
        } catch (IOException gone) {
            log.debug("a stream's reader is gone: {}", gone.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            log.warn("a stream ends because the service cannot go on with it", e);
            cut(out);
        }
    }

    private static void cut(EventStream out) {
        try {
            out.cut("INTERRUPTED", "The service cannot read on. Come back with the last id.");
        } catch (IOException gone) {
            log.debug("a stream's reader is gone: {}", gone.getMessage());
        }
    }

    private static Instant until() {
        return SecurityContextHolder.getContext().getAuthentication() instanceof CallerAuthentication known
                ? known.until()
                : Instant.EPOCH;
    }

    @Override
    public void start() {
        closing = false;
    }

    /** First of all: the web server waits for open answers when it stops. */
    @Override
    public void stop() {
        closing = true;
        feeds.forEach(ChangeFeed::wake);
    }

    @Override
    public boolean isRunning() {
        return !closing;
    }

    @Override
    public int getPhase() {
        return DEFAULT_PHASE;
    }
}
