package io.muster.agent.heartbeat;

import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** How far this node's clock is from health-service's; forgotten after a minute without an answer. */
public final class ServerClock {

    private static final long FRESH_NANOS = Duration.ofMinutes(1).toNanos();

    private record Seen(long offsetMillis, long atNanos) {}

    private volatile @Nullable Seen last;

    /** The server's time belongs somewhere between sending and receiving: an offset inside that span counts as none. */
    void answered(Instant sent, Instant received, Instant serverTime) {
        long ahead = Math.max(0, Duration.between(serverTime, sent).toMillis());
        long behind = Math.max(0, Duration.between(received, serverTime).toMillis());
        last = new Seen(ahead - behind, System.nanoTime());
    }

    public OptionalLong offsetMillis() {
        Seen seen = last;
        return seen == null || System.nanoTime() - seen.atNanos() > FRESH_NANOS
                ? OptionalLong.empty()
                : OptionalLong.of(seen.offsetMillis());
    }
}
