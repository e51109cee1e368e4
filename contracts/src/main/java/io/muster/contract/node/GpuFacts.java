package io.muster.contract.node;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One GPU as its agent saw it at {@code observedAt}; stale facts are marked by readers, not trusted.
 *
 * @param index position in the node, from 0
 * @param vetoed the agent took this GPU out by itself; only health-service gives it back
 * @param temperatureCelsius null where the driver does not say (so for the other readings)
 */
public record GpuFacts(
        int index,
        String uuid,
        String model,
        long memoryBytes,
        boolean vetoed,
        @Nullable Integer temperatureCelsius,
        @Nullable Integer powerWatts,
        @Nullable String firmwareVersion,
        Instant observedAt) {}
