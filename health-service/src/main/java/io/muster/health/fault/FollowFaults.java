package io.muster.health.fault;

import io.muster.edge.identity.UserCaller;
import io.muster.edge.page.Page;
import io.muster.edge.stream.ChangeFeed;
import io.muster.edge.stream.Event;
import io.muster.edge.stream.Listed;
import io.muster.edge.stream.Streams;
import io.muster.health.fault.FaultQuery.Filter;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Streams faults to those who may see them: {@code fault}, or {@code left} when its status is not the one asked for. A
 * tenant is told of those that touched its jobs, and of them its own part, as in a page.
 */
@Component
class FollowFaults {

    private final FaultQuery faults;
    private final Streams streams;
    private final ChangeFeed<Fault> told;

    FollowFaults(FaultQuery faults, Streams streams, ChangeFeed<Fault> toldFaults) {
        this.faults = faults;
        this.streams = streams;
        this.told = toldFaults;
    }

    void list(UserCaller caller, Filter filter, int most, @Nullable String lastEventId, HttpServletResponse response)
            throws IOException {
        int size = Math.clamp(most, 1, Page.MAX_SIZE);
        streams.list(caller, response, lastEventId, told, new Listed<Fault>() {

            /** The newest last, so that the order is that of what follows. */
            @Override
            public List<Event> now() {
                return faults.page(caller, filter, null, size).items().reversed().stream()
                        .map(fault -> new Event("fault", fault))
                        .toList();
            }

            @Override
            public Optional<Event> of(Fault fault) {
                return FaultQuery.seen(fault, caller)
                        .filter(own -> filter.isAbout(own))
                        .map(own -> new Event(filter.wants(own.status()) ? "fault" : "left", own.state()));
            }
        });
    }
}
