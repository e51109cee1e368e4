package io.muster.health;

import io.muster.contract.fault.FaultState;
import io.muster.edge.identity.Role;
import io.muster.testing.EventReader;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A stream of faults, its events with the faults in them. */
final class FaultEvents implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    record Seen(String name, String data) {

        FaultState fault() {
            return RunningService.JSON.readValue(data, FaultState.class);
        }
    }

    private final EventReader reader;

    FaultEvents(RunningService service, Role role, String query, @Nullable String lastEventId) {
        reader = new EventReader(
                URI.create(service.url()).getPort(),
                "/api/v1/faults" + query,
                service.userToken(role, "key_" + role),
                lastEventId,
                PATIENCE);
        if (reader.status != 200) {
            throw new AssertionError(reader.status + reader.text);
        }
    }

    @Nullable
    String lastId() {
        return reader.lastId();
    }

    /** Null too if the stream is over. */
    @Nullable
    Seen poll(long millis) {
        EventReader.Seen seen = reader.poll(millis);
        return seen == null || seen.name().equals(EventReader.OVER) ? null : new Seen(seen.name(), seen.data());
    }

    List<Seen> untilSynced() {
        return faults(reader.untilSynced());
    }

    List<Seen> untilFault(Predicate<FaultState> wanted) {
        return faults(reader.until(seen -> List.of("fault", "left").contains(seen.name())
                && wanted.test(new Seen(seen.name(), seen.data()).fault())));
    }

    private static List<Seen> faults(List<EventReader.Seen> events) {
        return events.stream().map(seen -> new Seen(seen.name(), seen.data())).toList();
    }

    @Override
    public void close() {
        reader.close();
    }
}
