package io.muster.gateway.routing;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How long the gateway waits for a service.
 *
 * @param connectTimeout long enough for a busy machine: a service that is gone refuses at once
 * @param readTimeout for a whole answer
 * @param logsTimeout for a whole answer of a log path, which may be followed
 * @param streamsTimeout for a whole stream of events; a service ends each when the caller's token does, after about 65 s
 */
@ConfigurationProperties("muster.gateway")
record RoutingSettings(
        @DefaultValue("2s") Duration connectTimeout,
        @DefaultValue("10s") Duration readTimeout,
        @DefaultValue("1h") Duration logsTimeout,
        @DefaultValue("90s") Duration streamsTimeout) {}
