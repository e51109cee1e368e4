package io.muster.embedded;

import java.nio.file.Path;
import java.util.Objects;

/**
 * Where one Kafka broker lives.
 *
 * @param home log segments and lock of this broker; kept between starts
 * @param port the clients' port on 127.0.0.1, or 0 for a free one
 * @param controllerPort the port of its own KRaft controller on 127.0.0.1, or 0 for a free one
 */
public record BrokerSettings(Path home, int port, int controllerPort) {

    public BrokerSettings {
        Objects.requireNonNull(home, "home");
        Ports.check("Kafka", port);
        Ports.check("Kafka controller", controllerPort);
    }
}
