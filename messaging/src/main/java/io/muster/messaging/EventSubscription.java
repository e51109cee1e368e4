package io.muster.messaging;

import java.util.Objects;

/**
 * Declared as a bean; all instances of the service that share its database share the work.
 *
 * @param name unique in the service and never changed: offsets and applied sequences are kept under it, so a new name
 *     reads the topic from its beginning
 */
public record EventSubscription<T>(String name, String topic, Class<T> dataType, EventHandler<T> handler) {

    public EventSubscription {
        if (!name.matches("[a-z0-9][a-z0-9.-]{0,99}")) {
            throw new IllegalArgumentException(
                    "subscription name \"" + name + "\": use 1 to 100 of a-z, 0-9, dot and hyphen");
        }
        Objects.requireNonNull(topic, "topic");
        Objects.requireNonNull(dataType, "dataType");
        Objects.requireNonNull(handler, "handler");
    }
}
