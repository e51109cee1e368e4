package io.muster.edge.identity;

import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** Where the other services are: {@code muster.services.job.url} and so on. */
@ConfigurationProperties("muster.services")
public record ServiceAddresses(
        @Nullable Address job,
        @Nullable Address quota,
        @Nullable Address scheduler,
        @Nullable Address health,
        @Nullable Address checkpoint) {

    /** One service's address. */
    public record Address(URI url) {}

    /** The base address of a service by its short name. */
    public URI of(String service) {
        return switch (service) {
            case "job" -> urlOr(job, 8081);
            case "quota" -> urlOr(quota, 8082);
            case "scheduler" -> urlOr(scheduler, 8083);
            case "health" -> urlOr(health, 8084);
            case "checkpoint" -> urlOr(checkpoint, 8085);
            default ->
                throw new IllegalArgumentException(
                        "no service '" + service + "'; there are job, quota, scheduler, health, checkpoint");
        };
    }

    private static URI urlOr(@Nullable Address address, int port) {
        return address == null ? URI.create("http://127.0.0.1:" + port) : address.url();
    }
}
