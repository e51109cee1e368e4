package io.muster.messaging;

import java.time.Instant;

/** An event without its data; {@code time} is the sender's clock and decides nothing. */
public record EventMetadata(String id, String type, String source, String key, long sequence, Instant time) {}
