package io.muster.messaging;

import java.time.Instant;

/**
 * One parked key.
 *
 * @param event the newest event of the key as it came, in JSON
 * @param reason the exception
 * @param failedAt the line of code it came from
 */
public record ParkedKey(
        String subscription,
        String key,
        String eventId,
        String type,
        long sequence,
        String event,
        String reason,
        String failedAt,
        Instant parkedAt) {}
