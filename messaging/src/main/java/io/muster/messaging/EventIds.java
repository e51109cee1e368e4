package io.muster.messaging;

import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.UUID;

/** Ids of events: UUID version 7, that is 48 bits of milliseconds and 74 of chance, so that they sort by time. */
final class EventIds {

    private final InstantSource clock;
    private final SecureRandom random = new SecureRandom();

    EventIds(InstantSource clock) {
        this.clock = clock;
    }

    String next() {
        long high = (clock.millis() << 16) | 0x7000L | random.nextInt(1 << 12);
        long low = 0x8000_0000_0000_0000L | (random.nextLong() >>> 2);
        return new UUID(high, low).toString();
    }
}
